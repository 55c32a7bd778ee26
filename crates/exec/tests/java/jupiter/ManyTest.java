package jupiter;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Methods with several leaves. */
class ManyTest {
    @ParameterizedTest(name = "{0}")
    @ValueSource(ints = {1, 2, 3})
    void small(int number) { //= jupiter.ManyTest#small[1] passed
        assertTrue(number < 3); //= jupiter.ManyTest#small[2] passed
    } //= jupiter.ManyTest#small[3] failed org.opentest4j.AssertionFailedError

    /** Display names with hash codes. */
    @ParameterizedTest
    @MethodSource("objects")
    void objects(Object object) {} //= jupiter.ManyTest#objects[1] passed

    static Stream<Object> objects() {
        return Stream.of(new Object());
    }

    @ParameterizedTest
    @MethodSource("broken")
    void noData(int number) {} //= jupiter.ManyTest#noData failed java.lang.IllegalStateException

    static Stream<Object> broken() {
        throw new IllegalStateException();
    }

    @RepeatedTest(2)
    void again(RepetitionInfo info) { //= jupiter.ManyTest#again[1] passed
        assertTrue(info.getCurrentRepetition() == 1); //= jupiter.ManyTest#again[2] failed org.opentest4j.AssertionFailedError
    }

    @TestFactory
    Stream<DynamicNode> dynamic() {
        return Stream.of(
                dynamicTest("a", () -> {}), //= jupiter.ManyTest#dynamic[1] passed
                dynamicContainer(
                        "b",
                        Stream.of(
                                dynamicTest("c", () -> {}), //= jupiter.ManyTest#dynamic[2][1] passed
                                dynamicTest("d", () -> assertTrue(false))))); //= jupiter.ManyTest#dynamic[2][2] failed org.opentest4j.AssertionFailedError
    }
}
