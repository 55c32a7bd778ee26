package example;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Money that cannot be overdrawn, in cents. */
public class Account {
    private long balance;
    private final List<Long> history = new ArrayList<>();

    /** Pays in. */
    public void deposit(long cents) {
        requirePositive(cents);
        balance = Math.addExact(balance, cents);
        history.add(cents);
    }

    /** Pays out, if there is enough. */
    public boolean withdraw(long cents) {
        requirePositive(cents);
        if (cents > balance) {
            return false;
        }
        balance -= cents;
        history.add(-cents);
        return true;
    }

    /** Moves money to another account, or none at all. */
    public boolean transfer(Account to, long cents) {
        if (to == this || !withdraw(cents)) {
            return false;
        }
        to.deposit(cents);
        return true;
    }

    /** What is in the account. */
    public long balance() {
        return balance;
    }

    /** All movements, oldest first. */
    public List<Long> history() {
        return Collections.unmodifiableList(history);
    }

    private static void requirePositive(long cents) {
        if (cents <= 0) {
            throw new IllegalArgumentException("not a positive amount: " + cents);
        }
    }
}
