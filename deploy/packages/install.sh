#!/bin/sh
# Installs svc from a release: verifies its signature, then installs the package of this system, or the program alone.
# It changes nothing else.
#
#   curl -fsSL URL/install.sh | sh
#   curl -fsSL URL/install.sh | sh -s -- --prefix "$HOME/.local"      the program alone, for one user
#   curl -fsSL URL/install.sh | sh -s -- --uninstall
set -eu

base_url='@BASE_URL@'
version='@VERSION@'
minisign_key='@MINISIGN_KEY@'
prefix=''
action=install

fail() {
  echo "install.sh: $*" >&2
  exit 1
}

while [ $# -gt 0 ]; do
  case "$1" in
  --prefix) prefix=${2:?--prefix needs a folder} && shift ;;
  --url) base_url=${2:?--url needs an address} && shift ;;
  --uninstall) action=uninstall ;;
  *) fail "$1 is not known: --prefix FOLDER, --url ADDRESS and --uninstall are" ;;
  esac
  shift
done

has() { command -v "$1" >/dev/null 2>&1; }

is_root() { [ "$(id -u)" = 0 ]; }

# deb, rpm, or archive: a package where this user may install one.
kind() {
  if [ -n "$prefix" ] || ! is_root || [ "$(uname -s)" != Linux ]; then
    echo archive
  elif has dpkg && has apt-get; then
    echo deb
  elif has rpm && has dnf; then
    echo rpm
  else
    echo archive
  fi
}

processor() {
  case "$(uname -m)" in
  x86_64 | amd64) echo x64 ;;
  aarch64 | arm64) echo arm64 ;;
  *) fail "there is no release for the processor $(uname -m): x64 and arm64 expected" ;;
  esac
}

# The name of the archive, such as linux-x64-musl.
target() {
  case "$(uname -s)" in
  Linux)
    if ls /lib/ld-musl-* >/dev/null 2>&1; then
      echo "linux-$(processor)-musl"
    elif [ "$(processor)" = x64 ] && ! grep -qw avx2 /proc/cpuinfo; then
      echo linux-x64-baseline
    else
      echo "linux-$(processor)"
    fi
    ;;
  Darwin) echo "darwin-$(processor)" ;;
  *) fail "there is no release for $(uname -s): Linux and macOS expected (Windows has a .zip)" ;;
  esac
}

file_name() {
  case "$1-$(processor)" in
  deb-x64) echo "svc_${version}_amd64.deb" ;;
  deb-arm64) echo "svc_${version}_arm64.deb" ;;
  rpm-x64) echo "svc-${version}-1.x86_64.rpm" ;;
  rpm-arm64) echo "svc-${version}-1.aarch64.rpm" ;;
  *) echo "svc-${version}-$(target).tar.zst" ;;
  esac
}

download() {
  if has curl; then
    curl -fsSL --retry 3 -o "$2" "$1"
  elif has wget; then
    wget -q -O "$2" "$1"
  else
    fail 'curl or wget is needed'
  fi || fail "$1 could not be downloaded"
}

# The signature covers SHA256SUMS, which covers every file of the release.
verify() {
  if has minisign; then
    minisign -V -q -P "$minisign_key" -m SHA256SUMS || fail 'the signature of SHA256SUMS is wrong: nothing was installed'
  elif has openssl && openssl pkeyutl -help 2>&1 | grep -q rawin; then
    # An Ed25519 key in DER is these 12 bytes and the 32 bytes of the key, which follow 10 bytes of minisign's own.
    { printf '\060\052\060\005\006\003\053\145\160\003\041\000' && echo "$minisign_key" | base64 -d | tail -c 32; } >key.der
    sed -n 2p SHA256SUMS.minisig | base64 -d | tail -c 64 >signature
    openssl pkeyutl -verify -pubin -keyform DER -inkey key.der -rawin -in SHA256SUMS -sigfile signature >/dev/null ||
      fail 'the signature of SHA256SUMS is wrong: nothing was installed'
  else
    fail 'minisign or openssl 3 is needed to verify the release: install one of them and try again'
  fi
  expected=$(grep -F "  $1" SHA256SUMS | cut -d ' ' -f 1)
  [ -n "$expected" ] || fail "the release has no $1"
  if has sha256sum; then
    actual=$(sha256sum "$1" | cut -d ' ' -f 1)
  else
    actual=$(shasum -a 256 "$1" | cut -d ' ' -f 1)
  fi
  [ "$actual" = "$expected" ] || fail "$1 is not the file that was released: nothing was installed"
}

# Alpine installs no C++ library by itself, and the program for musl needs one.
has_libraries() {
  case "$1" in
  *-musl) ls /usr/lib/libstdc++.so.6 /lib/libstdc++.so.6 2>/dev/null | grep -q . ;;
  esac
}

install_archive() {
  has zstd || fail 'zstd is needed to unpack the release: install it and try again'
  zstd -q -d -c "$1" | tar -xf -
  folder=${prefix:-$(is_root && echo /usr/local || echo "$HOME/.local")}
  mkdir -p "$folder/bin"
  # A running program keeps its file: the new one takes its name.
  cp "${1%.tar.zst}/svc" "$folder/bin/.svc.new"
  chmod 0755 "$folder/bin/.svc.new"
  mv "$folder/bin/.svc.new" "$folder/bin/svc"
  echo "$folder/bin/svc"
}

uninstall() {
  case "$(kind)" in
  deb) dpkg -s svc >/dev/null 2>&1 && apt-get remove -y -qq svc && return ;;
  rpm) rpm -q svc >/dev/null 2>&1 && dnf remove -y -q svc && return ;;
  esac
  program=${prefix:-$(is_root && echo /usr/local || echo "$HOME/.local")}/bin/svc
  [ -e "$program" ] || fail "$program is not there: nothing was removed"
  rm -f "$program"
}

if [ "$action" = uninstall ]; then
  uninstall
  echo 'svc was removed. Settings in /etc/svc and data in /var/lib/svc-* stay.'
  exit 0
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 0755 "$work"
cd "$work"
what=$(kind)
[ "$what" != archive ] || has_libraries "$(target)" || fail 'the C++ library is needed: run "apk add libstdc++" and try again'
file=$(file_name "$what")
download "$base_url/SHA256SUMS" SHA256SUMS
download "$base_url/SHA256SUMS.minisig" SHA256SUMS.minisig
download "$base_url/$file" "$file"
verify "$file"
case "$what" in
deb) DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "./$file" >/dev/null && program=/usr/bin/svc ;;
rpm) dnf install -y -q "./$file" && program=/usr/bin/svc ;;
archive) program=$(install_archive "$file") ;;
esac
echo "svc $("$program" --version) is $program. Next: $program init, or $program up"
