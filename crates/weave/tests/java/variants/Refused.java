import java.util.*;

/** What is not woven, and why. */
public class Refused {
    public static void main(String[] args) {
        System.out.println(new Refused().value() + "" + K);
    }

    //@1 int extra = 3;
    //!1 adds instance field extra
    int value() { return 1; } //@1 int value() { return extra; } //@2 public int value() { return 1; } //@3 long value() { return 2; }
    //!2 changes the declaration of method value()I
    //!3 removes method value()I
    //@4 public String toString() { return "s"; }
    //!4 adds method toString()Ljava/lang/String;, which others may see
    static final int K = 5; //@5 static final int K = 6;
    //!5 changes the declaration of field K
    static class Nested {} //@6 static class Nested extends ArrayList<String> {}
    //!6 changes the superclass
    interface Old { Object X = new Object(); } //@7 interface Old { Object X = "other".toString(); }
    //!7 changes the initialiser of an interface
    static class Gone {} //@8
    //!8 removes class Refused$Gone
}
