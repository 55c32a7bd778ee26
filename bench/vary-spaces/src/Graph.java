import java.util.*;

/** A graph library with sixteen features, in the manner of the Graph Product Line. */
public class Graph {
    static boolean directed, weighted, bfs, dfs, number, connected, strongly, cycle, kruskal, prim, shortest, transpose, degree,
            components, bipartite, log;

    static final class Edge {
        final Vertex from, to;
        final int weight;
        Edge(Vertex from, Vertex to, int weight) { this.from = from; this.to = to; this.weight = weight; }
    }

    static final class Vertex {
        final String name;
        final List<Edge> edges = new ArrayList<>();
        boolean visited;
        int number = -1, group = -1, distance = Integer.MAX_VALUE, colour = -1;
        Vertex(String name) { this.name = name; }
    }

    final Map<String, Vertex> vertices = new LinkedHashMap<>();
    final List<Edge> edges = new ArrayList<>();
    final StringBuilder journal = new StringBuilder();

    Vertex vertex(String name) { return vertices.computeIfAbsent(name, Vertex::new); }

    void edge(String a, String b, int weight) {
        Vertex from = vertex(a), to = vertex(b);
        Edge edge = new Edge(from, to, weighted ? weight : 1);
        edges.add(edge);
        from.edges.add(edge);
        if (!directed) to.edges.add(new Edge(to, from, edge.weight));
        if (log) journal.append(a).append(b).append(' ');
    }

    void clear() { for (Vertex v : vertices.values()) v.visited = false; }

    List<String> order(Vertex start) {
        List<String> names = new ArrayList<>();
        clear();
        if (bfs) {
            Deque<Vertex> queue = new ArrayDeque<>(List.of(start));
            start.visited = true;
            while (!queue.isEmpty()) {
                Vertex v = queue.poll();
                names.add(v.name);
                for (Edge e : v.edges) if (!e.to.visited) { e.to.visited = true; queue.add(e.to); }
            }
        } else if (dfs) {
            deep(start, names);
        } else {
            names.addAll(vertices.keySet());
        }
        return names;
    }

    void deep(Vertex v, List<String> names) {
        v.visited = true;
        names.add(v.name);
        for (Edge e : v.edges) if (!e.to.visited) deep(e.to, names);
    }

    int groups() {
        int group = 0;
        for (Vertex v : vertices.values()) {
            if (v.group >= 0) continue;
            Deque<Vertex> stack = new ArrayDeque<>(List.of(v));
            while (!stack.isEmpty()) {
                Vertex w = stack.pop();
                if (w.group >= 0) continue;
                w.group = group;
                for (Edge e : w.edges) stack.push(e.to);
            }
            group++;
        }
        return group;
    }

    boolean hasCycle() {
        clear();
        for (Vertex v : vertices.values()) if (!v.visited && cycleFrom(v, new HashSet<>(), null)) return true;
        return false;
    }

    boolean cycleFrom(Vertex v, Set<Vertex> path, Vertex parent) {
        v.visited = true;
        path.add(v);
        for (Edge e : v.edges) {
            if (!directed && e.to == parent) continue;
            if (path.contains(e.to) || !e.to.visited && cycleFrom(e.to, path, v)) return true;
        }
        path.remove(v);
        return false;
    }

    int tree() {
        List<Edge> sorted = new ArrayList<>(edges);
        sorted.sort(Comparator.comparingInt((Edge e) -> e.weight));
        Map<Vertex, Vertex> leader = new HashMap<>();
        int sum = 0;
        for (Edge e : sorted) {
            Vertex a = find(leader, e.from), b = find(leader, e.to);
            if (a != b) { leader.put(a, b); sum += e.weight; }
        }
        return sum;
    }

    Vertex find(Map<Vertex, Vertex> leader, Vertex v) {
        while (leader.containsKey(v)) v = leader.get(v);
        return v;
    }

    int primTree(Vertex start) {
        clear();
        start.visited = true;
        int sum = 0;
        while (true) {
            Edge best = null;
            for (Vertex v : vertices.values()) if (v.visited)
                for (Edge e : v.edges) if (!e.to.visited && (best == null || e.weight < best.weight)) best = e;
            if (best == null) return sum;
            best.to.visited = true;
            sum += best.weight;
        }
    }

    void distances(Vertex start) {
        start.distance = 0;
        for (int round = 0; round < vertices.size(); round++)
            for (Vertex v : vertices.values()) if (v.distance < Integer.MAX_VALUE)
                for (Edge e : v.edges) if (v.distance + e.weight < e.to.distance) e.to.distance = v.distance + e.weight;
    }

    boolean twoColours() {
        for (Vertex v : vertices.values()) {
            if (v.colour < 0) v.colour = 0;
            for (Edge e : v.edges) {
                if (e.to.colour == v.colour) return false;
                e.to.colour = 1 - v.colour;
            }
        }
        return true;
    }

    public static void main(String[] args) {
        Graph g = new Graph();
        String[] names = {"a", "b", "c", "d", "e", "f", "g", "h"};
        for (int i = 0; i < names.length; i++) {
            g.edge(names[i], names[(i * 3 + 1) % 8], i * 5 % 7 + 1);
            if (i % 2 == 0) g.edge(names[i], names[(i + 5) % 8], i + 2);
        }
        Vertex start = g.vertex("a");
        if (bfs || dfs) System.out.println("order " + g.order(start));
        if (number) { int n = 0; for (String name : g.order(start)) g.vertex(name).number = n++; System.out.println("h is " + g.vertex("h").number); }
        if (connected && !directed) System.out.println("groups " + g.groups());
        if (strongly && directed) { int reach = 0; for (Vertex v : g.vertices.values()) { List<String> l = new ArrayList<>(); g.clear(); g.deep(v, l); if (l.size() == 8) reach++; } System.out.println("reach all " + reach); }
        if (cycle) System.out.println("cycle " + g.hasCycle());
        if (kruskal && weighted && !directed) System.out.println("kruskal " + g.tree());
        if (prim && weighted && !directed) System.out.println("prim " + g.primTree(start));
        if (shortest && weighted) { g.distances(start); System.out.println("to h " + g.vertex("h").distance); }
        if (transpose && directed) { int back = 0; for (Edge e : g.edges) if (e.to.name.compareTo(e.from.name) < 0) back++; System.out.println("back " + back); }
        if (degree) { StringBuilder s = new StringBuilder(); for (Vertex v : g.vertices.values()) s.append(v.edges.size()); System.out.println("degrees " + s); }
        if (components) { Map<Integer, Integer> sizes = new TreeMap<>(); for (Vertex v : g.vertices.values()) sizes.merge(v.edges.size(), 1, Integer::sum); System.out.println("sizes " + sizes); }
        if (bipartite) System.out.println("two colours " + g.twoColours());
        if (log) System.out.println(g.journal);
        System.out.println(g.vertices.size() + " vertices");
    }
}
