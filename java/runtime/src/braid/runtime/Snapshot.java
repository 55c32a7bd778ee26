package braid.runtime;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.text.ParsePosition;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * All that a call can get at, at one moment: the objects that its local variables and operands lead to, with those of the
 * static fields of their classes and of its own class. Objects are numbered in the order in which they are come upon, so
 * that two snapshots are alike if and only if the same references lead to objects with the same contents, whether these
 * are the same objects or new ones.
 *
 * <p>What the call could also get at by other ways must be the same object in both: strings and boxed numbers that the JVM
 * keeps itself, classes, and all objects of the JDK but those whose contents are looked at. What is inside of these is not
 * known; the controller allows nothing that could get there.
 */
final class Snapshot {
    /** With more than so many values a snapshot is too large. */
    private static final int LARGEST = 100_000;
    /** Objects of more classes are too many for the controller to look at. */
    private static final int MOST_TYPES = 200;

    /** Classes of the JDK whose objects are looked into. */
    private static final Set<Class<?>> KNOWN =
            new HashSet<>(
                    Arrays.asList(
                            Object.class, StringBuilder.class, StringBuffer.class, ParsePosition.class));

    private static final Set<Class<?>> BOXES =
            new HashSet<>(
                    Arrays.asList(
                            String.class,
                            Boolean.class,
                            Byte.class,
                            Character.class,
                            Short.class,
                            Integer.class,
                            Long.class,
                            Float.class,
                            Double.class));

    /** The fields that a class declares, made accessible; null if that cannot be done. */
    private static final ClassValue<Field[]> FIELDS =
            new ClassValue<Field[]>() {
                @Override
                protected Field[] computeValue(Class<?> type) {
                    return open(type);
                }
            };

    /** Why there is no snapshot. */
    @SuppressWarnings("serial")
    private static final class Refused extends Exception {
        Refused() {
            super(null, null, false, false);
        }
    }

    /** Numbers of objects, primitive values, lengths. */
    private long[] values = new long[256];

    private int length;
    /** Objects that must be the same ones. */
    private final List<Object> same = new ArrayList<>();
    /** Strings and boxed values. */
    private final List<Object> boxes = new ArrayList<>();

    private final Map<Object, Integer> numbers = new IdentityHashMap<>();
    private final List<Object> objects = new ArrayList<>();
    private final Set<Class<?>> types = new HashSet<>();
    private final Set<Class<?>> rooted = new HashSet<>();
    private final Set<String> names = new TreeSet<>();
    private boolean isWhole;

    /** What a call of a method of this class can get at; numbers in its frame are left out. */
    Snapshot(Class<?> type, Object[] slots) {
        try {
            statics(type);
            for (Object slot : slots) {
                reference(slot instanceof Bits ? null : slot);
            }
            for (int i = 0; i < objects.size(); i++) {
                object(objects.get(i));
            }
            isWhole = true;
        } catch (Refused | ReflectiveOperationException | RuntimeException | LinkageError e) {
            isWhole = false;
        }
        numbers.clear();
        objects.clear();
    }

    /** False if something could not be looked at, or was too much. */
    boolean isWhole() {
        return isWhole;
    }

    /** How much there was to look at. */
    int length() {
        return length;
    }

    /** The classes of the program of which there are objects, and those of the JDK that are sequences of characters. */
    Set<String> types() {
        return names;
    }

    boolean isLike(Snapshot other) {
        if (!isWhole
                || !other.isWhole
                || same.size() != other.same.size()
                || boxes.size() != other.boxes.size()
                || !Arrays.equals(values, 0, length, other.values, 0, other.length)) {
            return false;
        }
        for (int i = 0; i < same.size(); i++) {
            if (same.get(i) != other.same.get(i)) {
                return false;
            }
        }
        for (int i = 0; i < boxes.size(); i++) {
            Object mine = boxes.get(i);
            Object theirs = other.boxes.get(i);
            if (mine != theirs && (!mine.equals(theirs) || isKept(mine) || isKept(theirs))) {
                return false;
            }
        }
        return true;
    }

    /** Whether the JVM itself keeps this very object: a constant of a class, or a cached number. */
    private static boolean isKept(Object box) {
        if (box instanceof String) {
            return new String(((String) box).toCharArray()).intern() == box;
        } else if (box instanceof Integer) {
            return Integer.valueOf((Integer) box) == box;
        } else if (box instanceof Long) {
            return Long.valueOf((Long) box) == box;
        } else if (box instanceof Character) {
            return Character.valueOf((Character) box) == box;
        }
        return !(box instanceof Double || box instanceof Float);
    }

    private void add(long value) throws Refused {
        if (length == LARGEST) {
            throw new Refused();
        }
        if (length == values.length) {
            values = Arrays.copyOf(values, 2 * length);
        }
        values[length++] = value;
    }

    private void reference(Object to) throws Refused {
        if (to == null) {
            add(0);
            return;
        }
        Integer number = numbers.get(to);
        if (number == null) {
            objects.add(to);
            number = objects.size();
            numbers.put(to, number);
        }
        add(number);
    }

    private void object(Object object) throws Refused, ReflectiveOperationException {
        Class<?> type = object.getClass();
        same.add(type);
        if (BOXES.contains(type)) {
            boxes.add(object);
        } else if (type.isArray()) {
            array(object);
        } else if (KNOWN.contains(type)) {
            for (Class<?> of = type; of != Object.class; of = of.getSuperclass()) {
                fields(object, of);
            }
        } else if (belongsToJdk(type)) {
            same.add(object);
        } else {
            ofProgram(object, type);
        }
        if (types.add(type) && (!belongsToJdk(type) || object instanceof CharSequence)) {
            names.add(type.getName());
        }
        if (names.size() > MOST_TYPES) {
            throw new Refused();
        }
    }

    private void ofProgram(Object object, Class<?> type) throws Refused, ReflectiveOperationException {
        statics(type);
        Class<?> declaring = type;
        while (!belongsToJdk(declaring)) {
            fields(object, declaring);
            declaring = declaring.getSuperclass();
        }
        if (declaring != Object.class) {
            same.add(object);
        }
    }

    private void fields(Object object, Class<?> type) throws Refused, ReflectiveOperationException {
        for (Field field : opened(type)) {
            if (!Modifier.isStatic(field.getModifiers())) {
                value(field, object);
            }
        }
    }

    /** What static fields of a class of the program, and of those that it extends, refer to. */
    private void statics(Class<?> type) throws Refused, ReflectiveOperationException {
        Class<?> of = type;
        while (of != null && !belongsToJdk(of) && rooted.add(of)) {
            if (of.getClassLoader() != ClassLoader.getSystemClassLoader() || !Native.initialised(of)) {
                throw new Refused();
            }
            for (Field field : opened(of)) {
                boolean isOurs = field.getName().contains("$braid$");
                boolean refers = !field.getType().isPrimitive();
                if (Modifier.isStatic(field.getModifiers()) && refers && !isOurs) {
                    value(field, null);
                }
            }
            of = of.getSuperclass();
        }
    }

    private void value(Field field, Object object) throws Refused, ReflectiveOperationException {
        Class<?> type = field.getType();
        if (!type.isPrimitive()) {
            reference(field.get(object));
        } else if (type == double.class) {
            add(Double.doubleToRawLongBits(field.getDouble(object)));
        } else if (type == float.class) {
            add(Float.floatToRawIntBits(field.getFloat(object)));
        } else if (type == boolean.class) {
            add(field.getBoolean(object) ? 1 : 0);
        } else if (type == char.class) {
            add(field.getChar(object));
        } else {
            add(field.getLong(object));
        }
    }

    private void array(Object array) throws Refused {
        int count = Array.getLength(array);
        add(count);
        if (count > LARGEST) {
            throw new Refused();
        }
        if (array instanceof Object[]) {
            for (Object element : (Object[]) array) {
                reference(element);
            }
        } else if (array instanceof char[]) {
            for (char element : (char[]) array) {
                add(element);
            }
        } else if (array instanceof byte[]) {
            for (byte element : (byte[]) array) {
                add(element);
            }
        } else if (array instanceof double[]) {
            for (double element : (double[]) array) {
                add(Double.doubleToRawLongBits(element));
            }
        } else if (array instanceof float[]) {
            for (float element : (float[]) array) {
                add(Float.floatToRawIntBits(element));
            }
        } else if (array instanceof boolean[]) {
            for (boolean element : (boolean[]) array) {
                add(element ? 1 : 0);
            }
        } else {
            for (int i = 0; i < count; i++) {
                add(Array.getLong(array, i));
            }
        }
    }

    private static Field[] opened(Class<?> type) throws Refused {
        Field[] fields = FIELDS.get(type);
        if (fields == null) {
            throw new Refused();
        }
        return fields;
    }

    private static Field[] open(Class<?> type) {
        try {
            if (type.getModule().isNamed()) {
                Native.open(type, type.getPackageName(), Snapshot.class);
            }
            Field[] fields = type.getDeclaredFields();
            for (Field field : fields) {
                field.setAccessible(true);
            }
            return fields;
        } catch (RuntimeException | LinkageError e) {
            return null;
        }
    }

    private static boolean belongsToJdk(Class<?> type) {
        ClassLoader loader = type.getClassLoader();
        return loader == null || loader == ClassLoader.getPlatformClassLoader();
    }
}
