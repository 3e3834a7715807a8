/* ptybench runs a command in a PTY, as a terminal that draws nothing, and measures it.
 *
 *   ptybench flood COMMAND...    reads all output: wall, CPU of all its processes, largest process, CPU of the loop that reads, bytes
 *   ptybench first COMMAND...    until the first byte of output
 *   ptybench keys N COMMAND...   N keys, each until its echo: the command waits with "ready" and echoes (stty echo; cat)
 *   ptybench idle S COMMAND...   S seconds of quiet behind the first output: wake-ups and CPU of the command's own process
 *
 * One line of numbers comes out, times in milliseconds (keys: microseconds), memory in KiB.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void) /* in microseconds */
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

static pid_t child;
static int master;
static char buf[1 << 16];

static void start(char **argv)
{
	struct winsize size = {.ws_row = 24, .ws_col = 80};
	child = forkpty(&master, NULL, NULL, &size);
	if (child < 0) {
		perror("forkpty");
		exit(2);
	}
	if (child == 0) {
		execvp(argv[0], argv);
		perror(argv[0]);
		_exit(127);
	}
}

/* get reads once, waiting at most ms; 0 means that nothing came or will come. */
static int get(int ms)
{
	struct pollfd p = {.fd = master, .events = POLLIN};
	if (poll(&p, 1, ms) <= 0)
		return 0;
	int n = read(master, buf, sizeof buf);
	return n > 0 ? n : 0;
}

static void end(void)
{
	kill(child, SIGTERM);
	while (get(3000) > 0)
		;
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static void flood(char **argv)
{
	long long bytes = 0;
	double begun = now();
	start(argv);
	for (int n; (n = read(master, buf, sizeof buf)) > 0;)
		bytes += n;
	waitpid(child, NULL, 0);
	double wall = now() - begun;
	struct rusage u, self;
	getrusage(RUSAGE_CHILDREN, &u);
	double cpu = u.ru_utime.tv_sec * 1e6 + u.ru_utime.tv_usec + u.ru_stime.tv_sec * 1e6 + u.ru_stime.tv_usec;
	getrusage(RUSAGE_SELF, &self);
	double loop = self.ru_utime.tv_sec * 1e6 + self.ru_utime.tv_usec + self.ru_stime.tv_sec * 1e6 + self.ru_stime.tv_usec;
	printf("wall %.1f cpu %.1f memory %ld loop %.1f bytes %lld\n", wall / 1e3, cpu / 1e3, u.ru_maxrss, loop / 1e3, bytes);
}

static void first(char **argv)
{
	double begun = now();
	start(argv);
	get(20000);
	printf("first %.2f\n", (now() - begun) / 1e3);
	end();
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* awaitReady reads until the command says so. */
static void awaitReady(void)
{
	char all[1 << 16];
	size_t have = 0;
	for (int n; have + 1 < sizeof all && (n = get(20000)) > 0;) {
		if (n > (int)(sizeof all - 1 - have))
			n = sizeof all - 1 - have;
		memcpy(all + have, buf, n);
		have += n;
		all[have] = 0;
		if (strstr(all, "ready"))
			break;
	}
	while (get(300) > 0)
		;
}

static void keys(int count, char **argv)
{
	double *took = calloc(count, sizeof *took);
	start(argv);
	awaitReady();
	int n = 0;
	for (; n < count; n++) {
		usleep(1000);
		char key = n % 60 == 59 ? '\n' : 'a' + n % 26;
		double begun = now();
		if (write(master, &key, 1) != 1 || !get(5000))
			break;
		took[n] = now() - begun;
		while (get(key == '\n' ? 20 : 0) > 0)
			;
	}
	end();
	if (n < count) {
		printf("keys failed after %d\n", n);
		return;
	}
	qsort(took, count, sizeof *took, ascending);
	printf("p50 %.0f p99 %.0f max %.0f\n", took[count / 2], took[count * 99 / 100], took[count - 1]);
}

/* usage sums up the context switches of all threads of the child, and gives its CPU ticks. */
static long usage(long *ticks)
{
	char path[512];
	long all = 0, n;
	snprintf(path, sizeof path, "/proc/%d/task", child);
	DIR *d = opendir(path);
	for (struct dirent *e; d && (e = readdir(d));) {
		snprintf(path, sizeof path, "/proc/%d/task/%s/status", child, e->d_name);
		FILE *f = fopen(path, "r");
		while (f && fgets(buf, sizeof buf, f))
			if (sscanf(buf, "voluntary_ctxt_switches: %ld", &n) == 1)
				all += n;
		if (f)
			fclose(f);
	}
	if (d)
		closedir(d);
	snprintf(path, sizeof path, "/proc/%d/stat", child);
	FILE *f = fopen(path, "r");
	long user = 0, sys = 0;
	if (f) {
		if (fgets(buf, sizeof buf, f))
			sscanf(strrchr(buf, ')') + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld", &user, &sys);
		fclose(f);
	}
	*ticks = user + sys;
	return all;
}

static void idle(int seconds, char **argv)
{
	long t0, t1;
	start(argv);
	awaitReady();
	sleep(3); /* what is still to be flushed or read */
	long n0 = usage(&t0);
	sleep(seconds);
	long n1 = usage(&t1);
	printf("wakeups %ld cpu %.0f in %d s\n", n1 - n0, (t1 - t0) * 1000.0 / sysconf(_SC_CLK_TCK), seconds);
	end();
}

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "flood"))
		flood(argv + 2);
	else if (argc > 2 && !strcmp(argv[1], "first"))
		first(argv + 2);
	else if (argc > 3 && !strcmp(argv[1], "keys") && atoi(argv[2]) > 0)
		keys(atoi(argv[2]), argv + 3);
	else if (argc > 3 && !strcmp(argv[1], "idle") && atoi(argv[2]) > 0)
		idle(atoi(argv[2]), argv + 3);
	else {
		fputs("usage: ptybench flood|first|keys N|idle S COMMAND...\n", stderr);
		return 2;
	}
	return 0;
}
