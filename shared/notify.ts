import { execFile } from 'node:child_process';
import { asFault } from './fault.js';
import { log } from './log.js';
import { shutdown } from './shutdown.js';

/**
 * Says how this program is to systemd, where that runs it as a service of `Type=notify` (sd_notify(3)). Node.js has no
 * datagrams over unix sockets, so systemd's own program says it, which needs `NotifyAccess=all` in the unit.
 */
export const systemd = {
  /** It can be used now; that it stops is said in time. */
  ready(status: string): void {
    shutdown.add('the notice to systemd', () => tell('STOPPING=1'));
    void tell('READY=1', `STATUS=${status}`);
  },

  /** What `systemctl status` is to show. */
  status: (text: string): void => void tell(`STATUS=${text}`),
};

/** Milliseconds for one notice. */
const PATIENCE = 2000;

/** Those before come first. */
let told: Promise<void> = Promise.resolve();

function tell(...assignments: readonly string[]): Promise<void> {
  if (process.env['NOTIFY_SOCKET'] === undefined) return told;
  told = told.then(
    () =>
      new Promise((resolve) => {
        execFile('systemd-notify', [...assignments], { timeout: PATIENCE }, (error) => {
          if (error !== null) log.warnOnce(`systemd could not be told how this is: ${asFault(error).message}`);
          resolve();
        });
      }),
  );
  return told;
}
