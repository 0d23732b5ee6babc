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

/**
 * Watches over the process groups of the children from a small process of its own, which outlives the hub: a hub that
 * is killed with SIGKILL cannot clean up, and wrappers such as npx do not notice that it is gone.
 */
export class Guard {
  #shell: ChildProcess | undefined;

  watch(group: number): void {
    this.#shell ??= start();
    this.#shell.stdin?.write(`+ ${group}\n`);
  }

  release(group: number): void {
    this.#shell?.stdin?.write(`- ${group}\n`);
  }

  /** Ends the watch; groups that are still watched are ended by it. */
  close(): void {
    this.#shell?.stdin?.end();
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
