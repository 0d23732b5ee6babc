import { asFault } from '../shared/fault.js';
import { log } from '../shared/log.js';
import type { Caller } from './caller.js';
import type { Child } from './child.js';
import { type Page, pageAt } from './pages.js';
import { allPages } from './paging.js';
import { objectOf } from './protocol.js';
import { joinedEntries, type Shown } from './shown.js';
import type { Tasks } from './tasks.js';

const TASKS = { method: 'tasks/list', member: 'tasks', key: 'taskId' } as const;

/**
 * A page of the tasks of a session, at all children that list them (2025-11-25, tasks/list). One that cannot be asked is
 * left out.
 * @throws Fault `invalid` for a cursor that was not given out for this list as it is.
 */
export async function tasksPage(tasks: Tasks, caller: Caller, cursor: unknown): Promise<Page> {
  const lists = await Promise.all(tasks.of(caller.peer).map(([child, ids]) => listed(tasks, child, ids)));
  return pageAt(lists, lists.map(({ digest }) => digest).join('-'), cursor);
}

async function listed(tasks: Tasks, child: Child, ids: ReadonlySet<string>): Promise<Shown> {
  const { peer, catalogue } = child;
  if (peer === undefined || !('list' in objectOf(catalogue?.capabilities['tasks']))) return joinedEntries([]);
  try {
    const { items } = await allPages(peer, TASKS, {});
    const own = items.filter(({ key }) => ids.has(key));
    return joinedEntries(own.map((item) => item.as(tasks.shown('legacy', child, item.key))));
  } catch (error) {
    log.warn(`${child.alias}: its tasks cannot be listed: ${asFault(error).message}`);
    return joinedEntries([]);
  }
}
