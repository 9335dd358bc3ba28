/* Linked into the static binary by packaging/build.
 *
 * A static glibc looks names up as /etc/nsswitch.conf says, and for what it lists beyond files and dns (mdns,
 * resolve, myhostname ...) loads modules of the machine, made for another glibc: seen to end in SIGFPE.
 * Names of webhooks are looked up in /etc/hosts and by DNS, on every machine alike. */

int __nss_configure_lookup(const char *database, const char *services);

__attribute__((constructor)) static void names_by_hosts_file_and_dns(void)
{
    __nss_configure_lookup("hosts", "files dns");
}
