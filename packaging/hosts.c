/* Linked into the static binary by packaging/build.
 *
 * A static glibc follows /etc/nsswitch.conf: for entries other than files and dns (mdns, resolve, myhostname ...)
 * it loads modules of the machine, built for another glibc, and has crashed with SIGFPE. With this, names of
 * webhooks are looked up in /etc/hosts and by DNS on every machine. */

int __nss_configure_lookup(const char *database, const char *services);

__attribute__((constructor)) static void names_by_hosts_file_and_dns(void)
{
    __nss_configure_lookup("hosts", "files dns");
}
