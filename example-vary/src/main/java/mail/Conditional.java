package mail;

import java.lang.annotation.ElementType;
import java.lang.annotation.Target;

/** Marks a {@code static boolean} field as an option of the program; Braid knows it by its simple name. */
@Target(ElementType.FIELD)
public @interface Conditional {
}
