#!/bin/sh
# Installs taxd from this folder, and runs it as a service where systemd runs. Running it again upgrades; rules,
# keys, calls and options stay.
set -eu
# The service enters what is made here, whatever root's own umask is.
umask 022

usage() {
    cat <<'TEXT'
usage: ./install.sh [--prefix DIR]               installs or upgrades; DIR is /usr/local unless given
       ./install.sh --uninstall [--prefix DIR]   removes what was installed; rules, keys, calls and options stay
       ./install.sh --purge [--prefix DIR]       removes them too
TEXT
}

prefix=/usr/local
action=install
while [ $# -gt 0 ]; do
    case "$1" in
    --prefix) shift && prefix=${1:?--prefix wants a folder} ;;
    --uninstall) action=uninstall ;;
    --purge) action=purge ;;
    -h | --help) usage && exit ;;
    *) usage >&2 && exit 2 ;;
    esac
    shift
done
case "$prefix" in
/*) ;;
*) echo "install.sh: --prefix wants an absolute path" >&2 && exit 2 ;;
esac
if [ "$(id -u)" != 0 ]; then
    echo "install.sh: must run as root" >&2
    exit 1
fi

here=$(cd "$(dirname "$0")" && pwd)
units=/etc/systemd/system
runs_systemd() { [ -d /run/systemd/system ]; }

install_all() {
    (cd "$here/tree" && find bin share -type f) | while read -r file; do
        mode=644
        if [ "${file%%/*}" = bin ]; then mode=755; fi
        mkdir -p "$prefix/$(dirname "$file")"
        # A running binary is not written over, but replaced.
        install -m "$mode" "$here/tree/$file" "$prefix/$file.new"
        mv -f "$prefix/$file.new" "$prefix/$file"
    done
    if ! getent passwd taxd >/dev/null; then
        useradd --system --user-group --home-dir /var/lib/taxd --no-create-home --shell /usr/sbin/nologin taxd
    fi
    if [ ! -e /etc/default/taxd ]; then
        mkdir -p /etc/default
        install -m 644 "$here/taxd.default" /etc/default/taxd
    fi
    mkdir -p "$units"
    for unit in "$here"/tree/lib/systemd/system/*; do
        sed "s,/usr/bin/taxd,$prefix/bin/taxd,; s,/usr/share/,$prefix/share/," "$unit" >"$units/${unit##*/}"
    done
    if runs_systemd; then
        systemctl daemon-reload
        systemctl enable --quiet taxd.service
        systemctl restart taxd.service
        echo "taxd runs: systemctl status taxd"
    else
        echo "taxd is installed; systemd does not run here, so start it yourself: $prefix/bin/taxd serve --data DIR"
    fi
}

uninstall() {
    for unit in taxd-backup.timer taxd.service; do
        if runs_systemd && [ -e "$units/$unit" ]; then
            systemctl disable --quiet --now "$unit"
        fi
        rm -f "$units/$unit"
    done
    rm -f "$units/taxd-backup.service"
    if runs_systemd; then systemctl daemon-reload; fi
    (cd "$here/tree" && find bin share -type f) | while read -r file; do
        rm -f "$prefix/$file"
    done
    rm -f "$prefix"/share/man/man1/taxd.1.gz "$prefix"/share/man/man1/taxd-*.1.gz
    rm -rf "$prefix/share/doc/taxd" "$prefix/share/taxd"
}

case "$action" in
install) install_all ;;
uninstall)
    uninstall
    echo "taxd is removed; rules, keys and calls stay in /var/lib/taxd, options in /etc/default/taxd"
    ;;
purge)
    uninstall
    rm -rf /var/lib/taxd /etc/default/taxd
    echo "taxd is removed, with its rules, keys, calls and options; the locked user taxd, and what you have put into /etc/taxd, stay"
    ;;
esac
