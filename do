#!/bin/sh
# The one door of the repository: `./do help` lists the verbs.
#
# What it needs: python3 (3.11 or newer), Rust (rustup.rs), a C linker. What else is missing it
# installs itself when it runs as root on Debian or Ubuntu, else it says the exact line to run.
# Python packages go into .venv, a private uv into .tools: nothing outside this folder changes.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
uv_pinned=0.13.9
uv_oldest=0.11.0
rust_oldest=1.88.0

say() { printf '%s\n' "$*" >&2; }
die() { say "do: $*"; exit 2; }
have() { command -v "$1" >/dev/null 2>&1; }

# at_least WANTED FOUND: is version FOUND the same as or newer than WANTED?
at_least() { [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]; }

# install PACKAGE...: Debian packages, by itself as root, else the line that would do it.
install() {
    if have apt-get && [ "$(id -u)" = 0 ]; then
        say "do: installing $*"
        log=$(mktemp)
        if DEBIAN_FRONTEND=noninteractive sh -c '
            apt-get install -y --no-install-recommends "$@" ||
            { apt-get update && apt-get install -y --no-install-recommends "$@"; }' sh "$@" \
            >"$log" 2>&1 </dev/null; then
            rm -f "$log"
            return 0
        fi
        tail -n 5 "$log" >&2
        rm -f "$log"
        say "do: apt-get could not install: $*"
        return 1
    fi
    say "do: missing system packages; run:  sudo apt-get install -y --no-install-recommends $*"
    return 1
}

use_certificates() {
    for bundle in /etc/ssl/certs/ca-certificates.crt /etc/pki/tls/certs/ca-bundle.crt \
        /etc/ssl/cert.pem; do
        if [ -e "$bundle" ]; then
            export UV_SYSTEM_CERTS=1
            return
        fi
    done
}

need_python() {
    have python3 || install python3 || die "python3 is missing"
    python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
        die "python3 is $(python3 -c 'import platform; print(platform.python_version())'); 3.11 or newer is needed"
    # uv takes the very interpreter that was checked here.
    UV_PYTHON=$(python3 -c 'import sys; print(sys.executable)')
    export UV_PYTHON
    unset VIRTUAL_ENV
}

need_rust() {
    if ! have cargo && [ -x "${CARGO_HOME:-$HOME/.cargo}/bin/cargo" ]; then
        PATH="${CARGO_HOME:-$HOME/.cargo}/bin:$PATH"
        export PATH
    fi
    have cargo || die "Rust is missing; install it from https://rustup.rs, then run this again"
    found=$(rustc --version 2>/dev/null | cut -d ' ' -f 2) || found=
    [ -n "$found" ] || die "cargo is there but no toolchain; run:  rustup default stable"
    at_least "$rust_oldest" "${found%%-*}" ||
        die "Rust is $found; $rust_oldest or newer is needed; run:  rustup update stable"
}

linker_works() (
    probe=$(mktemp -d)
    trap 'rm -rf "$probe"' EXIT
    echo 'int main(void) { return 0; }' >"$probe/probe.c"
    cc -o "$probe/probe" "$probe/probe.c" 2>/dev/null
)

# find_uv: an acceptable uv from the PATH or from .tools.
find_uv() {
    for uv in uv "$root/.tools/venv/bin/uv" "$root/.tools/pip/bin/uv"; do
        if have "$uv" && at_least "$uv_oldest" "$("$uv" --version | cut -d ' ' -f 2)"; then
            return 0
        fi
    done
    return 1
}

# private_uv: a pinned uv under .tools, by venv, else by the system's pip.
private_uv() {
    say "do: fetching uv $uv_pinned into .tools"
    if python3 -m venv --clear "$root/.tools/venv" >/dev/null 2>&1; then
        uv=$root/.tools/venv/bin/uv
        set -- "$root/.tools/venv/bin/python" -m pip install
    else
        rm -rf "$root/.tools/venv"
        uv=$root/.tools/pip/bin/uv
        set -- python3 -m pip install --target "$root/.tools/pip"
    fi
    "$@" --quiet --disable-pip-version-check "uv==$uv_pinned" >&2 ||
        die "could not fetch uv with: $* (no network?)"
}

prepare() {
    use_certificates
    need_python
    need_rust
    packages=
    # What built once will build again: the linker is only tried on a fresh clone.
    [ -d "$root/.venv" ] || linker_works || packages="$packages gcc libc6-dev"
    if ! find_uv; then
        uv=
        # Debian splits venv off python3; a machine with pip can do without it.
        python3 -c 'import ensurepip' 2>/dev/null || python3 -m pip --version >/dev/null 2>&1 ||
            packages="$packages python3-venv"
    fi
    # shellcheck disable=SC2086 # a list of names
    [ -z "$packages" ] || install $packages || die "cannot go on without:$packages"
    [ -n "$uv" ] || private_uv
    use_profile
    quiet=--quiet
    if [ ! -d "$root/.venv" ]; then
        say "do: the first time builds the simulator: a minute or two"
        # Then people want to see that something happens.
        quiet=
    fi
}

# use_profile: what `./do tune` made with this compiler, if it did. Only the engine is built with
# these flags: by uv, and by what reads ACKLAB_RUSTFLAGS; other builds by cargo (tests) stay as they are.
use_profile() {
    flags=
    plainly=
    profile=$root/target/guided/$(rustc -vV | cksum | cut -d ' ' -f 1).profdata
    if [ -e "$profile" ] && ! own_flags; then
        # Code that was edited since then is built as without a profile; that needs no warning.
        flags=$(printf -- '-Cprofile-use=%s\037%s\037%s' "$profile" --cfg=acklab_guided \
            -Cllvm-args=-no-pgo-warn-mismatch)
        [ ! -e "$profile.flags" ] ||
            while read -r one; do flags="$flags$(printf '\037')$one"; done <"$profile.flags"
        plainly="env -u CARGO_ENCODED_RUSTFLAGS"
        export ACKLAB_RUSTFLAGS="$flags"
    fi
}

# own_flags: who has flags of their own gets the build that they ask for.
own_flags() { [ -n "${RUSTFLAGS+set}${CARGO_ENCODED_RUSTFLAGS+set}" ]; }

# engine COMMAND...: with the flags that the engine is built with.
engine() {
    if [ -n "$flags" ]; then CARGO_ENCODED_RUSTFLAGS=$flags "$@"; else "$@"; fi
}

# tune: make the profile, unless nothing was edited since the last one; false, and why, if that
# cannot be done here.
tune() {
    if own_flags; then
        say "do: plain build: RUSTFLAGS is set"
        return 1
    fi
    profdata=$(rustc --print target-libdir)/../bin/llvm-profdata
    [ -x "$profdata" ] || rustup component add llvm-tools >/dev/null 2>&1 || true
    if [ ! -x "$profdata" ]; then
        say "do: plain build: Rust comes without llvm-profdata; run:  rustup component add llvm-tools"
        return 1
    fi
    [ ! -e "$profile" ] || [ ! -e "$profile.flags" ] ||
        [ -n "$(find "$root/Cargo.toml" "$root/Cargo.lock" "$root/crates" "$root/examples" \
            -type f -newer "$profile" | head -n 1)" ] || return 0
    say "do: building the engine so that it counts what its runs do, then by these counts: a few minutes"
    counts=$(mktemp -d)
    if ! (cd "$root" && count_runs "$counts") >"$counts/log" 2>&1; then
        tail -n 5 "$counts/log" >&2
        rm -rf "$counts"
        say "do: plain build: the runs could not be counted"
        return 1
    fi
    fitting_flags "$counts" >"$profile.flags"
    mv "$counts/profile" "$profile"
    rm -rf "$counts"
    use_profile
}

# fitting_flags FOLDER: what the engine gains by beside the profile, as far as this compiler knows it. Where
# nobody can predict a branch the engine is written without one, and the compiler makes one of it again unless it
# is told not to; and comparisons in the order of the profile cost less than a jump through a table.
fitting_flags() {
    case $(uname -m) in x86_64 | amd64) ;; *) return 0 ;; esac
    for one in -Cllvm-args=-x86-cmov-converter=false -Cjump-tables=no; do
        : | rustc "$one" --crate-type lib --emit obj -o "$1/flag.o" - >/dev/null 2>&1 || continue
        printf '%s\n' "$one"
    done
}

# count_runs FOLDER: FOLDER/profile, what one run of each example does.
count_runs() {
    # The names of functions in a profile hang on the settings of the build and the features of its
    # parts, which are therefore those of the extension; but nothing is linked into one piece, which
    # takes long. The compiler's own plugins would count as well: into nothing.
    LLVM_PROFILE_FILE=/dev/null \
        RUSTFLAGS="-Cprofile-generate -Clinker-plugin-lto=no -Clto=no" \
        cargo build --locked --release --target-dir target/guided \
        -p acklab-py -p acklab-world --example peer || return 1
    for scenario in examples/*.toml; do
        LLVM_PROFILE_FILE="$1/%p.profraw" target/guided/release/examples/peer "$scenario" || return 1
    done
    "$profdata" merge -o "$1/profile" "$1"/*.profraw
}

extra=
# in_env COMMAND...: in the project's environment, in the caller's folder, the extension up to date. The last
# thing that is done here: a signal that is sent to this process is then for the command.
# shellcheck disable=SC2086 # nothing or words
in_env() {
    for name in ${ACKLAB_EXTRAS:-}; do extra="$extra --extra $name"; done
    # For messages that say what to type.
    export ACKLAB_DO="$0"
    [ -z "$flags" ] || export CARGO_ENCODED_RUSTFLAGS="$flags"
    exec "$uv" run $quiet --project "$root" --no-dev $extra $plainly "$@"
}

# ---------------------------------------------------------------------------- tests

passed=0
failed=0

check() { # check NAME COMMAND...: one check that passes or fails as a whole
    name=$1
    shift
    say "== $name"
    if "$@"; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        say "== $name: FAILED"
    fi
}

rust_tests() {
    say "== cargo test"
    log=$(mktemp)
    { cargo test --locked --no-fail-fast 2>&1 && echo ok >"$log.ok"; } | tee "$log" >&2
    good=$(awk '/^test result:/ { n += $4 } END { print n + 0 }' "$log")
    bad=$(awk '/^test result:/ { n += $6 } END { print n + 0 }' "$log")
    # Tests that do not compile, or a test program that died, count as one failure.
    [ -e "$log.ok" ] || [ "$bad" -gt 0 ] || bad=1
    [ "$good" -gt 0 ] || [ "$bad" -gt 0 ] || bad=1
    passed=$((passed + good))
    failed=$((failed + bad))
    rm -f "$log" "$log.ok"
}

python_tests() {
    say "== pytest"
    report=$(mktemp)
    code=0
    dev python -m pytest -n auto --junitxml "$report" -o junit_family=xunit2 "$@" >&2 || code=$?
    counts=$(python3 - "$report" <<'COUNT'
import sys
import xml.etree.ElementTree as tree

try:
    suites = list(tree.parse(sys.argv[1]).iter("testsuite"))
except tree.ParseError:
    suites = []
total, bad, skipped = (
    sum(sum(int(suite.get(name, 0)) for name in names) for suite in suites)
    for names in (["tests"], ["failures", "errors"], ["skipped"])
)
print(max(total - bad - skipped, 0), bad)
COUNT
    )
    rm -f "$report"
    good=${counts% *}
    bad=${counts#* }
    [ "$code" = 0 ] || [ "$bad" -gt 0 ] || bad=1
    passed=$((passed + good))
    failed=$((failed + bad))
}

# shellcheck disable=SC2086 # nothing or words
dev() { engine "$uv" run $quiet --project "$root" --directory "$root" $plainly "$@"; }

# The package stands alone: a wheel in an environment of its own reproduces a table.
wheel_works() (
    place=$(mktemp -d)
    trap 'rm -rf "$place"' EXIT
    engine "$uv" build --quiet --wheel --out-dir "$place" "$root" || exit 1
    cd "$place" || exit 1
    "$uv" run --quiet --isolated --no-project --with "$place"/acklab-*.whl \
        acklab reproduce altman2003:table1 --runs 1 >"$place/log" 2>&1 && exit 0
    cat "$place/log" >&2
    exit 1
)

# A source distribution can be built where its workspace and its lock agree: asked of cargo, without
# the build itself. (Only git knows what belongs into one, so a copy without it is not asked.)
sdist_agrees() (
    [ -e "$root/.git" ] || exit 0
    place=$(mktemp -d)
    trap 'rm -rf "$place"' EXIT
    "$uv" build --quiet --sdist --out-dir "$place" "$root" || exit 1
    tar -xzf "$place"/acklab-*.tar.gz -C "$place" || exit 1
    cd "$place"/acklab-*/ && cargo tree --locked --workspace >/dev/null
)

test_all() {
    cd "$root"
    # Captures are judged by the programs that people open them with.
    missing=
    have tshark || missing="$missing tshark"
    have tcptrace || missing="$missing tcptrace"
    # shellcheck disable=SC2086 # a list of names
    [ -z "$missing" ] || install $missing || say "do: tests that need$missing will be skipped"
    if ! cargo fmt --version >/dev/null 2>&1 || ! cargo clippy --version >/dev/null 2>&1; then
        rustup component add rustfmt clippy >&2 || say "do: run:  rustup component add rustfmt clippy"
    fi
    check "cargo fmt" cargo fmt --all --check
    check "clippy" cargo clippy --locked --workspace --all-targets -- -D warnings
    rust_tests
    check "build of the extension" dev python -c 'import acklab'
    check "source distribution" sdist_agrees
    check "wheel" wheel_works
    check "ruff format" dev ruff format --check .
    check "ruff" dev ruff check .
    check "mypy" dev mypy
    python_tests "$@"
    printf '%s passed, %s failed\n' "$passed" "$failed"
    [ "$failed" = 0 ]
}

# ---------------------------------------------------------------------------- verbs

usage() {
    cat <<'HELP'
./do reproduce [PAPER[:ITEM]] [--full] [...]   a paper's tables and figures (default: altman2003:table1,fig2, quick)
./do test [pytest arguments]                   every test, Rust and Python; last line: N passed, N failed
./do validate [SECTION] [--full] [--json]      the figures this project promises, measured now
./do tune                                      rebuild the engine guided by a profile of its runs: less time a run
./do bench [...]                               the engine's benchmarks (cargo bench)
./do bench peers [...]                         the same chain in ns-2 and here, in alternation
./do acklab ...                                the tool itself, e.g.  ./do acklab run FILE.toml
./do python ...                                Python with acklab in it, e.g.  ./do python script.py
                                               (ACKLAB_EXTRAS="dask notebook pandas slurm" brings what is named there)
./do help                                      this text

Needs python3 (3.11 or newer), Rust (rustup.rs) and a C linker. As root on Debian or Ubuntu it
installs the rest itself; otherwise it says the line to run. Exit code: 0 fine, 1 a check failed,
2 bad input or something missing, 130 interrupted.
HELP
}

# check_section ARGUMENT...: whether `validate` knows the section, said before minutes of building.
check_section() {
    known=$(sed -n 's/^    "\([a-z0-9]*\)": [A-Z0-9]*,$/\1/p' "$root/python/acklab/validate/__main__.py")
    while [ $# -gt 0 ]; do
        case $1 in
        --only | --workers) [ $# -eq 1 ] || shift ;;
        -*) ;;
        *)
            printf '%s\n' "$known" | grep -qxF -- "$1" ||
                die "no such section: $1; there are: $(printf '%s' "$known" | tr '\n' ' ')"
            ;;
        esac
        shift
    done
}

verb=${1:-help}
[ $# -eq 0 ] || shift
case $verb in
reproduce)
    prepare
    in_env acklab reproduce "$@"
    ;;
test)
    prepare
    test_all "$@"
    ;;
validate)
    check_section "$@"
    prepare
    case " $* " in
    *" --help "* | *" -h "* | *" --list "*) ;;
    *)
        # One row of campaigns has a cluster.
        extra="--extra dask"
        have ns || install ns2 || say "do: checks against ns-2 will be skipped"
        # Other checks that are asked for by name need not wait for that.
        case " $* " in
        *speed* | *scale*) tune || true ;;
        *" --only "* | *" --only="*) ;;
        *) tune || true ;;
        esac
        ;;
    esac
    in_env python -m acklab.validate "$@"
    ;;
tune)
    prepare
    tune || exit 2
    in_env python -c 'import acklab'
    ;;
bench)
    prepare
    if [ "${1:-}" = peers ]; then
        shift
        have ns || install ns2 || die "bench peers runs ns-2 beside acklab"
        python3 "$root/bench/peers/run.py" "$@"
    else
        cd "$root"
        cargo bench --locked -p acklab-bench "$@"
    fi
    ;;
acklab)
    # Only a study on a cluster needs what a cluster needs.
    case " $* " in *" --on "* | *" --on="*) extra="--extra dask" ;; esac
    prepare
    in_env acklab "$@"
    ;;
python)
    prepare
    in_env python "$@"
    ;;
help | -h | --help) usage ;;
*)
    usage >&2
    die "no such verb: $verb"
    ;;
esac
