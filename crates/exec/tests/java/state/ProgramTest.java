package state;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.BeforeClass;
import org.junit.Test;

/** Each test finds the program's static state as in a new JVM, or fails; then it changes it. */
public class ProgramTest {
    static int setUps;

    @BeforeClass
    public static void setUp() {
        setUps++;
    }

    @Test
    public void classSetUp() {
        assertEquals(1, setUps);
        setUps = 100;
    }

    static final class Cache {
        static final Map<String, Integer> MAP = new HashMap<>();

        static int get(String key) {
            return MAP.computeIfAbsent(key, k -> MAP.size());
        }
    }

    @Test
    public void lazilyFilledMap() {
        assertTrue(Cache.MAP.isEmpty());
        assertEquals(0, Cache.get("a"));
        assertEquals(1, Cache.get("b"));
    }

    static final class Single {
        private static Single instance;
        int count;

        static Single get() {
            if (instance == null) {
                instance = new Single();
            }
            return instance;
        }
    }

    @Test
    public void singleton() {
        assertEquals(0, Single.get().count++);
    }

    enum Door {
        FRONT,
        BACK;

        boolean open;
        static int opened;
    }

    @Test
    public void enumWithState() {
        assertFalse(Door.FRONT.open);
        assertEquals(0, Door.opened);
        Door.FRONT.open = true;
        Door.opened++;
        assertSame(Door.FRONT, Door.valueOf("FRONT"));
        assertTrue(EnumSet.allOf(Door.class).contains(Door.FRONT));
    }

    @Test
    public void enumSetBeforeUse() {
        EnumSet<Door> all = EnumSet.allOf(Door.class);
        for (Door door : all) {
            assertFalse(door.open);
            door.open = true;
        }
        assertTrue(all.contains(Door.BACK));
        assertSame(Door.BACK, Enum.valueOf(Door.class, "BACK"));
    }

    static final List<String> ORDER = new ArrayList<>();

    static final class Hen {
        static final String NAME = name();
        static final String SEEN = String.valueOf(Egg.NAME);

        static String name() {
            ORDER.add("hen");
            return "hen" + ORDER.size();
        }
    }

    static final class Egg {
        static final String NAME = name();
        static final String SEEN = String.valueOf(Hen.NAME);

        static String name() {
            ORDER.add("egg");
            return "egg" + ORDER.size();
        }
    }

    @Test
    public void cyclesFromHen() {
        assertEquals("egg2", Hen.SEEN);
        assertEquals("hen1", Egg.SEEN);
    }

    @Test
    public void cyclesFromEgg() {
        assertEquals("hen2", Egg.SEEN);
        assertEquals("egg1", Hen.SEEN);
    }

    interface Constants {
        List<String> NAMES = new ArrayList<>();
        int FIXED = 7;
    }

    @Test
    public void interfaceConstants() {
        assertTrue(Constants.NAMES.isEmpty());
        assertEquals(7, Constants.FIXED);
        Constants.NAMES.add("dirty");
    }

    static final class Fragile {
        static boolean tried;
        static final int VALUE = Integer.parseInt("x" + setUps);
    }

    @Test
    public void failingInitialiser() {
        try {
            fail("" + Fragile.VALUE);
        } catch (ExceptionInInitializerError e) {
            assertTrue(e.getCause() instanceof NumberFormatException);
        }
        try {
            fail("" + Fragile.VALUE);
        } catch (NoClassDefFoundError e) {
            assertTrue(e.getMessage().contains("Fragile"));
        }
    }

    static final class Reflected {
        static String value = "clean";
    }

    @Test
    public void reflection() throws Exception {
        Field field = Reflected.class.getDeclaredField("value");
        field.setAccessible(true);
        assertEquals("clean", field.get(null));
        field.set(null, "dirty");
        assertEquals(1, Reflected.class.getDeclaredFields().length);
        assertEquals(0, Reflected.class.getDeclaredMethods().length);
    }

    static class Parent {
        static int made;
        static final StringBuilder LOG = new StringBuilder("parent");
    }

    static final class Child extends Parent {
        static final String SEEN = LOG.append(" child").toString();
    }

    @Test
    public void superclassFirst() {
        assertEquals("parent child", Child.SEEN);
        assertEquals(0, Child.made++);
    }

    static final ThreadLocal<String> LOCAL = new ThreadLocal<>();

    @Test
    public void threadLocals() {
        assertNull(LOCAL.get());
        LOCAL.set("dirty");
    }

    static final class Made {
        static int count;
        final int number = ++count;
    }

    @Test
    public void madeByReflection() throws Exception {
        Made made = Made.class.getDeclaredConstructor().newInstance();
        assertEquals(1, made.number);
    }
}
