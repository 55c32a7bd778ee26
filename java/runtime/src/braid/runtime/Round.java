package braid.runtime;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;

/** A loop that has come round. */
public final class Round {
    final Visit visit;

    /** The class, the method and its descriptor. */
    public final List<String> call;

    /** Where it came round: code offsets, the first one of the tick that was seen again. */
    public final List<Integer> places;

    /** The local variables that it came round with others of. */
    public final List<Integer> changing;

    /** If what it can get at came round as well: the classes of the objects in there; else null. */
    public final List<String> reach;

    Round(Visit visit, Collection<Integer> passed, List<Integer> changing, Collection<String> reach) {
        this.visit = visit;
        List<String> call = new ArrayList<>();
        call.add(visit.type.getName());
        call.add(visit.method);
        call.add(visit.descriptor);
        this.call = Collections.unmodifiableList(call);
        List<Integer> places = new ArrayList<>();
        places.add(visit.place);
        places.addAll(passed);
        this.places = Collections.unmodifiableList(places);
        this.changing = Collections.unmodifiableList(changing);
        this.reach = reach == null ? null : Collections.unmodifiableList(new ArrayList<>(reach));
    }
}
