# Sourced by ./run and ./check: installs what the build needs and this machine lacks.
# Debian and its relatives are served through apt-get; elsewhere the list is printed.
sb_packages="cmake ninja-build make gcc g++ clang libcmocka-dev libbenchmark-dev
libpng-dev zlib1g-dev libomp-dev libclang-rt-14-dev python3 pkg-config clang-format
locales"

sb_setup() {
    local missing="" package sudo=""
    if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
        echo "setup: no apt-get here; these Debian packages must exist in some form:" \
            $sb_packages
        return 0
    fi
    for package in $sb_packages; do
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null |
            grep -q "install ok installed" || missing="$missing $package"
    done
    [ -n "$missing" ] || return 0
    echo "setup: installing$missing"
    [ "$(id -u)" = 0 ] || sudo=sudo
    $sudo apt-get update -q >/dev/null &&
        DEBIAN_FRONTEND=noninteractive $sudo apt-get install -q -y \
            --no-install-recommends $missing >/dev/null && return 0
    echo "setup: apt-get could not install$missing" >&2
    return 1
}
