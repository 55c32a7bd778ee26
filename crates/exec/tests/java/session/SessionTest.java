package session;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

class SessionTest {
    static int opened;

    @Test
    void isOpened() { //= session.SessionTest#isOpened passed
        assertEquals(1, opened);
    }

    public static class Listener implements LauncherSessionListener {
        @Override
        public void launcherSessionOpened(LauncherSession session) {
            opened++;
        }
    }
}

class OtherTest {
    @Test
    void isOpenedOnce() { //= session.OtherTest#isOpenedOnce passed
        assertEquals(1, SessionTest.opened);
    }
}
