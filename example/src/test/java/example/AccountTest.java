package example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class AccountTest {
    private final Account account = new Account();

    @BeforeEach
    void payIn() {
        account.deposit(100);
    }

    @Test
    void addsDeposits() {
        account.deposit(20);
        assertEquals(120, account.balance());
    }

    @Test
    void cannotBeOverdrawn() {
        assertFalse(account.withdraw(101));
        assertTrue(account.withdraw(100));
        assertEquals(0, account.balance());
    }

    @Test
    void remembersEveryMovement() {
        account.withdraw(30);
        assertEquals(Arrays.asList(100L, -30L), account.history());
        assertThrows(UnsupportedOperationException.class, () -> account.history().add(1L));
    }

    @Test
    void refusesNegativeAmounts() {
        assertThrows(IllegalArgumentException.class, () -> account.deposit(-1));
        assertThrows(IllegalArgumentException.class, () -> account.withdraw(0));
    }

    @Nested
    class Transfers {
        private final Account other = new Account();

        @Test
        void moveMoney() {
            assertTrue(account.transfer(other, 40));
            assertEquals(60, account.balance());
            assertEquals(40, other.balance());
        }

        @Test
        void doNothingWithoutMoney() {
            assertFalse(account.transfer(other, 400));
            assertEquals(0, other.balance());
            assertFalse(account.transfer(account, 1));
        }
    }
}
