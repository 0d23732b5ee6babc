import type { Call } from '../shared/call.js';
import { asFault, type Fault } from '../shared/fault.js';
import type { Edit } from '../shared/parts.js';
import { RuleFile } from '../shared/rule-file.js';
import { type Decided, refused } from '../shared/verdict.js';
import type { Asking } from '../shared/ways.js';
import { type Check, keyOf, type ToolCall } from './approval.js';
import type { Child } from './child.js';
import type { ChildSpec } from './children.js';
import type { Course } from './course.js';
import { CALL } from './inner.js';
import type { Item } from './item.js';
import { COMPLETE } from './modern.js';
import { Person } from './person.js';
import { Pinned } from './pinned.js';
import { OWN_ALIAS } from './protocol.js';
import { actionOf, Ruled } from './ruled.js';
import { standIn } from './stand-in.js';

/** What the person said of permissions when they started the hub. */
export interface GateSettings {
  /** Whether rules hold for the tools of all servers. */
  readonly guard: boolean;
  /** Whether no tool of any server is called whose definition has changed. */
  readonly pin: boolean;
  /** What is decided beforehand of the tools that are guarded. */
  readonly decided: Decided;
  /** Whether tools that do more than read are neither offered nor called. */
  readonly readOnly: boolean;
  readonly asking: Asking;
}

/** The most that are remembered; what is forgotten is asked again. */
const MOST_ALLOWED = 10_000;

/** Sends a call on to its child. */
export type Cross = (call: Call, edits: readonly Edit[]) => void;

/** Holds calls of tools until it is decided that they may cross to their servers. */
export class Gate {
  readonly #person: Person;
  readonly #settings: GateSettings;
  readonly #ruled: Ruled;
  readonly #pinned = new Pinned();
  /** Questions that were answered with yes for calls that may go on. */
  readonly #allowed = new Set<string>();
  /** The aliases of those for which one or the other was switched on in a file. */
  #guarded: ReadonlySet<string> = new Set();
  #pinnedOnes: ReadonlySet<string> = new Set();

  /** @throws Fault `invalid` for a name that no file of rules can have. */
  constructor(settings: GateSettings) {
    this.#settings = settings;
    this.#person = new Person(settings.asking);
    this.#ruled = new Ruled(new RuleFile(`hub-${settings.asking.name}`), settings);
  }

  /** Whether questions of children are answered here where the client shows no forms. */
  get standsIn(): boolean {
    const { guard, pin, asking } = this.#settings;
    return this.#person.isHere && (asking.isChosen || guard || pin);
  }

  /** Answers a question of a child in place of a client that cannot. */
  answer(alias: string, question: Call): void {
    void standIn(this.#person, alias, question);
  }

  /** Takes up what the configuration says of each child. */
  configure(specs: readonly ChildSpec[]): void {
    const named = (specs_: readonly ChildSpec[]): Set<string> => new Set(specs_.map(({ alias }) => alias));
    this.#guarded = named(specs.filter(({ guard }) => guard === true));
    this.#pinnedOnes = named(specs.filter(({ pin }) => pin === true));
    this.#pinned.configure(specs);
  }

  /** What a child lists has become known. */
  saw(child: Child): void {
    if (this.#isPinned(child)) this.#pinned.saw(child);
  }

  /** Whether clients see a tool in lists. */
  offers({ alias }: Child, tool: Item): boolean {
    if (!this.#settings.readOnly || actionOf(tool) === 'read') return true;
    // What it calls is looked at itself.
    return alias === OWN_ALIAS && tool.key === CALL;
  }

  /** Whether a call waits here. */
  holds(child: Child, { frame }: Call): boolean {
    return frame.method === 'tools/call' && (this.#isGuarded(child) || this.#isPinned(child));
  }

  /** Sends the call on when it may, as it was decided on; else answers it with why not. */
  async pass(course: Course, child: Child, cross: Cross): Promise<void> {
    try {
      const { tool } = course;
      for (;;) {
        if (child.peer === undefined) await child.ready(course.call.signal());
        const listed = listedTool(child, tool);
        const why = await this.#denial(course, { child, tool, listed, arguments: course.arguments });
        if (why !== undefined) deny(course, why);
        if (!course.call.open) return;
        // What the person thought about may have been over with meanwhile.
        if (child.peer !== undefined && isSame(listed, listedTool(child, tool))) break;
      }
      cross(course.call, course.edits);
    } catch (error) {
      course.call.fail(asFault(error));
    }
  }

  /** Why the call may not cross; nothing where it may. @throws Fault `cancelled` when it was. */
  async #denial(course: Course, call: ToolCall): Promise<Fault | undefined> {
    try {
      if (this.#isPinned(call.child)) await this.#check(this.#pinned, course, call);
      if (this.#isGuarded(call.child)) await this.#check(this.#ruled, course, call);
      return undefined;
    } catch (error) {
      const fault = asFault(error);
      if (fault.kind === 'cancelled') throw fault;
      return fault;
    }
  }

  /** @throws Fault where the call may not cross. */
  async #check(check: Check, course: Course, call: ToolCall): Promise<void> {
    for (;;) {
      const question = await check.question(call);
      const key = question === undefined ? undefined : keyOf(question);
      if (question === undefined || key === undefined || this.#isAllowed(course, key)) return;
      const answer = await this.#person.ask(question, course);
      if (answer?.decision === 'deny') throw question.refusal?.(answer) ?? refused(question, answer);
      if (answer !== undefined) this.#allow(course, key);
    }
  }

  /** A call that goes on after questions of the child has been let through as it is, to the last byte. */
  #isAllowed({ isAgain, allowed }: Course, key: string): boolean {
    return allowed.has(key) || (isAgain && this.#allowed.has(key));
  }

  #allow({ allowed }: Course, key: string): void {
    allowed.add(key);
    this.#allowed.add(key);
    const [oldest] = this.#allowed;
    if (this.#allowed.size > MOST_ALLOWED && oldest !== undefined) this.#allowed.delete(oldest);
  }

  #isGuarded({ alias }: Child): boolean {
    return this.#settings.guard || this.#guarded.has(alias);
  }

  #isPinned({ alias }: Child): boolean {
    return this.#settings.pin || this.#pinnedOnes.has(alias);
  }
}

/** The tools of each list by name. */
const BY_NAME = new WeakMap<readonly Item[], ReadonlyMap<string, Item>>();

function listedTool({ catalogue }: Child, name: string): Item | undefined {
  if (catalogue === undefined) return undefined;
  const { tools } = catalogue.lists;
  const byName = BY_NAME.get(tools) ?? new Map(tools.map((item) => [item.key, item]));
  BY_NAME.set(tools, byName);
  return byName.get(name);
}

function isSame(one: Item | undefined, other: Item | undefined): boolean {
  return one === other || (one !== undefined && other !== undefined && one.bytes.equals(other.bytes));
}

/** What a model can read, and tell the person. */
function deny({ call, caller, frame }: Course, why: Fault): void {
  // Who wants a task takes no other result.
  if (caller.era === 'legacy' && frame.at('task') !== undefined) {
    call.fail(why);
    return;
  }
  const content = [{ type: 'text', text: why.text }];
  call.result({ content, isError: true, ...(caller.era === 'modern' ? { resultType: COMPLETE } : {}) });
}
