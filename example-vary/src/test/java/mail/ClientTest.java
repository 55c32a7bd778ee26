package mail;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClientTest {
    private Client ann;
    private Client bob;
    private Client eve;

    @BeforeEach
    void clients() {
        ann = new Client("ann");
        bob = new Client("bob");
        eve = new Client("eve");
    }

    @ParameterizedTest
    @ValueSource(strings = {"hello", "", "Re: yes"})
    void whatIsSentArrives(String body) {
        ann.send("bob", body);
        assertEquals(body, bob.inbox.get(0).body);
    }

    /** Fails where replies are on: nobody asked for one. */
    @Test
    void nothingComesBack() {
        ann.send("bob", "hello");
        assertEquals(0, ann.inbox.size());
    }

    /** Fails where messages are both encrypted and forwarded: the copy is in the clear. */
    @Test
    void secretsStaySecret() {
        bob.forwardTo("eve");
        ann.send("bob", "the secret");
        boolean leaked = eve.inbox.stream().anyMatch(m -> m.body.contains("secret"));
        assertFalse(Features.encrypt && leaked, "eve can read it");
    }

    /** Fails without the address book. */
    @Test
    void anAliasIsEnough() {
        ann.know("bobby", "bob");
        ann.send("bobby", "hello");
        assertEquals(1, bob.inbox.size());
    }

    @Test
    void strangersGetNothing() {
        assertThrows(IllegalStateException.class, () -> ann.send("nobody", "hello"));
    }
}
