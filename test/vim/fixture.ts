import { after, afterEach, before, beforeEach } from 'node:test';
import { type Home, makeHome } from '../kit/home.js';
import { Vim } from '../kit/vim.js';
import { ALLOW, Broker } from './broker.js';

/** A broker and a Vim that stand through one `describe`. */
export interface Pair {
  home: Home;
  broker: Broker;
  vim: Vim;
}

/** Starts them before the tests, with the Vim connected as `ed`, and ends them after; the person says yes anew in each test. */
export function pair(options: { args?: readonly string[]; vimrc?: string; modern?: boolean } = {}): Pair {
  const found = {} as Pair;
  before(async () => {
    found.home = await makeHome();
    found.broker = await Broker.start(found.home, options.args ?? [], { modern: options.modern === true });
    found.vim = await Vim.start(found.home, { vimrc: options.vimrc ?? '' });
    await found.broker.join(found.vim, 'Mcp ed');
  });
  after(async () => {
    await found.vim?.close();
    await found.broker?.close();
    await found.home?.remove();
  });
  beforeEach(() => {
    found.broker.answer = ALLOW;
    found.broker.questions.length = 0;
    found.broker.forms.length = 0;
  });
  return found;
}

/** What one test of a `describe` works with. */
export interface Stage {
  /** Its own home. */
  home: Home;
  /** Has something closed after the test. */
  own<T extends { close(): unknown }>(thing: T): T;
}

/** A home for each test of a `describe`, and the end of all that the test calls its own. */
export function stage(): Stage {
  const open: { close(): unknown }[] = [];
  const found = {
    own: <T extends { close(): unknown }>(thing: T): T => {
      open.push(thing);
      return thing;
    },
  } as Stage;
  beforeEach(async () => {
    found.home = await makeHome();
  });
  afterEach(async () => {
    for (const thing of open.splice(0).reverse()) await thing.close();
    await found.home.remove();
  });
  return found;
}
