import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Reads `+ GROUP` and `- GROUP` lines. When its input ends, the hub is gone: what is still running is asked to end and
 * then ended. A fixed text; the groups are numbers and come by pipe.
 */
const SCRIPT = `
groups=' '
while read -r sign group; do
  case $sign in
    +) groups="$groups$group " ;;
    -) groups="\${groups%% $group *} \${groups#* $group }" ;;
  esac
done
[ "$groups" = ' ' ] && exit
sleep 0.5
for group in $groups; do kill -s TERM -- "-$group" 2>/dev/null; done
sleep 1
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
`;

/** A shell that ends within this time is not started again at once, in milliseconds. */
const BRIEF = 1000;

/**
 * Watches over the process groups of the children from a small process of its own, which outlives the hub: a hub that
 * is killed with SIGKILL cannot clean up, and wrappers such as npx do not notice that it is gone.
 */
export class Guard {
  readonly #groups = new Set<number>();
  #shell: ChildProcess | undefined;

  watch(group: number): void {
    this.#groups.add(group);
    if (this.#shell === undefined) this.#start();
    else this.#shell.stdin?.write(`+ ${group}\n`);
  }

  release(group: number): void {
    this.#groups.delete(group);
    this.#shell?.stdin?.write(`- ${group}\n`);
  }

  /** Ends the watch; groups that are still watched are ended by it. */
  close(): void {
    this.#shell?.removeAllListeners('exit');
    this.#shell?.stdin?.end();
  }

  /** A shell that was killed is replaced at the next watch, or at once while there is something to watch over. */
  #start(): void {
    const since = performance.now();
    const shell = start();
    for (const group of this.#groups) shell.stdin?.write(`+ ${group}\n`);
    shell.once('exit', () => {
      this.#shell = undefined;
      const held = performance.now() - since > BRIEF;
      if (held && this.#groups.size > 0) this.#start();
    });
    this.#shell = shell;
  }
}

/** Detached: what ends the hub's group must not end the guard. */
function start(): ChildProcess {
  const shell = spawn('/bin/sh', ['-c', SCRIPT], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: '/usr/bin:/bin' },
  });
  shell.on('error', () => undefined);
  shell.stdin.on('error', () => undefined);
  shell.unref();
  return shell;
}
