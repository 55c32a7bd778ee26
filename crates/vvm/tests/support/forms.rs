//! Statements of many kinds for generated programs, as templates.
//!
//! `@c` and `@d` are conditions, `@x` and `@y` expressions of type `int`, `@v` a variable, `@n` a new number.

/// Classes that the statements use; the generator puts them into each program.
pub(crate) const DECLARATIONS: &[&str] = &[
    "static class X extends RuntimeException { X(String m) { super(m); } }",
    "interface F { int apply(int z); default int and(int z) { return apply(z) ^ apply(z + 1); } static F of(int k) { return z -> z - k; } }",
    "static class R implements AutoCloseable { final boolean bad; R(boolean bad) { this.bad = bad; if (g1 % 11 == 10) throw new X(\"open\"); } int use(int x) { if (x > 20) throw new X(\"use\"); return x + 1; } public void close() { g1++; if (bad) throw new X(\"close\"); } }",
    "static class Broken { static int k; static { g1 += 2; if (o0 && g0 > 3) throw new IllegalStateException(\"broken\"); k = g0; } static int get(int x) { return k + x; } }",
    "enum E { P, Q { int act(int x) { return x + 1; } }, R; int act(int x) { return x * 2; } }",
    "record Pair(int x, String s) { Pair { if (x > 60) throw new IllegalArgumentException(\"pair\"); } }",
    "sealed interface S permits Leaf, Fork {} record Leaf(int v) implements S {} record Fork(S l, S r) implements S {}",
    "static int sum(S s) { return s instanceof Leaf l ? l.v() : s instanceof Fork f ? sum(f.l()) + sum(f.r()) : 0; }",
    "static int fin(int x, boolean c) { try { if (c) throw new IllegalStateException(\"f\" + x); return x; } catch (IllegalStateException e) { return e.getMessage().length(); } finally { if ((x & 1) == 1) return -x; g1++; } }",
    "static <T extends Comparable<T>> T most(T p, T q) { return p.compareTo(q) >= 0 ? p : q; }",
    "static int many(int... xs) { int s = xs.length; for (int x : xs) s = s * 3 + x; return s; }",
];

/// The statements.
pub(crate) const FORMS: &[&str] = &[
    "switch (\"k\" + ((@x) & 3)) { case \"k0\": @v += 5; break; case \"k1\": case \"k2\": @v -= @y; default: g1++; }",
    "switch (E.values()[Math.abs((@x) % 3)]) { case P: @v += @y; break; case Q: if (@c) break; default: g0 ^= 3; }",
    "@v += switch ((@x) & 7) { case 0, 1 -> @y; case 2 -> { if (@c) throw new X(\"arrow\"); yield 4; } default -> 5; };",
    "int[][] grid@n = new int[@c ? 2 : 3][((@x) & 1) + 1]; grid@n[(@y) & 1][0] = @x; @v += grid@n.length * 10 + grid@n[0].length + grid@n[1][0];",
    "F f@n = @c ? z -> z + g0 : @d ? F.of(@x) : Math::abs; @v = f@n.apply(@x) + f@n.and(@y);",
    "StringBuilder sb@n = new StringBuilder(gs); if (@c) sb@n.append(@x).reverse(); else sb@n.insert(0, \"<\").append('>'); if (sb@n.length() > 3) sb@n.deleteCharAt(2); gs = sb@n.length() > 30 ? sb@n.substring(10) : sb@n.toString();",
    "try (R r@n = new R(@c); R q@n = new R(@d)) { @v += r@n.use(@x) + q@n.use(1); } catch (X e) { gs = e.getMessage() + e.getSuppressed().length; }",
    "try { @v += Broken.get(@x); } catch (ExceptionInInitializerError | NoClassDefFoundError e) { g1 += e instanceof NoClassDefFoundError ? 7 : 9; }",
    "outer@n: for (int u@n = 0; u@n < 3; u@n++) for (int w@n = 0; w@n < 3; w@n++) { if (@c && w@n == 1) continue outer@n; if (@d && u@n == 1) break outer@n; @v += w@n; }",
    "int t@n = 0; do { t@n += 1 + ((@x) & 3); if (@c) break; } while (t@n < 6); @v += t@n;",
    "double d@n = (@x) / (double) (@y); gd = d@n > 1e6 ? 1 : Double.isNaN(d@n) ? -1 : d@n; g1 += (float) d@n > 0.5f ? 3 : 4;",
    "Integer box@n = @x, pox@n = @c ? (Integer) (@y) : (Integer) 127; @v += box@n == pox@n ? 1 : 2; if (box@n.equals(pox@n)) g1++;",
    "@v = java.util.stream.IntStream.range(0, 4).map(z -> z * g0).filter(z -> (z & 1) == (o0 ? 1 : 0)).sum();",
    "gs = String.format(\"%s|%3d|%x\", @c ? \"y\" : gs.length(), (@x) & 255, (@y) & 255);",
    "synchronized (list) { @v += list.size(); if (@c) list.clear(); }",
    "try { Object[] os@n = @c ? new String[1] : new Object[1]; os@n[0] = @x; g1 += 2; } catch (ArrayStoreException e) { gs = e.getMessage(); }",
    "try { @v += new int[(@x) % 4].length; } catch (NegativeArraySizeException e) { gs = e.getMessage(); }",
    "Object ob@n = @c ? (Object) new Pair(@x, \"p\") : @d ? (Object) \"str\" : (Object) 3L; if (ob@n instanceof Pair p@n) { @v += p@n.x(); gs = p@n.toString(); } else gs = \"\" + ob@n + ob@n.equals(\"str\");",
    "S s@n = @c ? new Leaf(@x) : new Fork(new Leaf(@y), @d ? new Leaf(1) : new Fork(new Leaf(g0), new Leaf(2))); @v = sum(s@n); g1 += s@n.equals(new Leaf(@x)) ? 1 : 0;",
    "char ch@n = (char) ('a' + ((@x) & 7)); ch@n += @c ? 1 : 2; gs = gs.isEmpty() ? \"\" + ch@n : gs.replace(gs.charAt(0), ch@n);",
    "long lo@n = (long) (@x) << 33; gl ^= lo@n >>> ((@y) & 31); g0 = Long.compare(gl, lo@n) + (int) (gl % 1000);",
    "try { gs = Integer.toString(Integer.parseInt(@c ? \"12\" : \"x\" + ((@x) & 1))); } catch (NumberFormatException e) { gs = e.getMessage(); }",
    "@v = fin(@x, @c);",
    "int[] copy@n = @c ? arr.clone() : Arrays.copyOf(arr, 8); Arrays.sort(copy@n, 0, 2 + ((@x) & 3)); arr = copy@n; System.arraycopy(arr, 0, arr, 1, (@y) & 3);",
    "for (Map.Entry<String, Integer> en@n : new TreeMap<>(map).entrySet()) { if (@c) @v += en@n.getValue(); else gs = en@n.getKey(); }",
    "Runnable r@n = () -> { g1 += o1 ? 3 : 4; if (g1 > 500) throw new X(\"lambda\"); }; if (@c) r@n.run();",
    "E e@n = @c ? E.P : E.Q; @v += e@n.act(@x) + e@n.ordinal() + EnumSet.of(E.R, e@n).size(); map.put(e@n.name(), @v);",
    "try { try { if (@c) throw new X(\"in\" + (@x)); @v++; } finally { if (@d) throw new IllegalStateException(\"out\"); g1 += 2; } } catch (X | IllegalStateException e) { gs = e.getMessage(); }",
    "gs = most(gs, @c ? \"m\" + ((@x) & 7) : \"\"); @v += most(@x, @y);",
    "@v = many() + many(@x) + (@c ? many(@x, @y, 3) : 0);",
    "Deque<Integer> dq@n = new ArrayDeque<>(); for (int z@n : arr) { if (@c && z@n > 3) dq@n.addFirst(z@n); else dq@n.addLast(z@n); } @v += dq@n.peekFirst() * 3 + dq@n.peekLast();",
    "try { Iterator<Integer> it@n = list.iterator(); if (@c) list.add(@x); while (it@n.hasNext()) @v += it@n.next(); } catch (ConcurrentModificationException e) { g1 += 5; }",
    "try { throw @c ? new X(\"x\") { public String getMessage() { return \"anon\" + g0; } } : new IllegalArgumentException(\"i\" + (@x)); } catch (X | IllegalArgumentException e) { gs = e.getMessage(); }",
    "short sh@n = (short) ((@x) * 1000); byte by@n = (byte) sh@n; @v ^= sh@n + by@n >>> 1; g1 += (@c ? sh@n : by@n) % 5;",
    "Optional<String> op@n = @c ? Optional.of(\"o\" + ((@x) & 3)) : Optional.empty(); gs = op@n.map(String::toUpperCase).orElseGet(() -> \"none\" + g0);",
    "list.sort(@c ? Comparator.naturalOrder() : Comparator.reverseOrder()); @v += list.isEmpty() ? 0 : list.get(0);",
    "gs = String.join(\",\", gs.split(\"[0-9;]\", @c ? 2 : 3)); @v += gs.indexOf(\",\") + gs.hashCode() % 10;",
];
