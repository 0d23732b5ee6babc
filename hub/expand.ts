/** Variables in the texts of a configuration: `${NAME}`, `${env:NAME}`, `${NAME:-default}`; `$${` is `${` itself. */

/** What stands between `${` and `}`, and what introduces it. */
const PLACEHOLDER = /\$(\$\{)|\$\{([^}]*)\}/g;
const VARIABLE = /^(?:env:)?([A-Za-z_]\w*)(?::-([^{]*))?$/;

/** Variables that other programs set in the text themselves, and what to write here instead. */
const FOREIGN: ReadonlyMap<string, string> = new Map([
  ['workspaceFolder', 'the path of the folder'],
  ['workspaceFolderBasename', 'the name of the folder'],
  ['userHome', '${HOME}'],
  ['pathSeparator', '/'],
  ['/', '/'],
]);

type Environment = Readonly<Record<string, string | undefined>>;

/** Why a text cannot be completed: where it stands, what to do, and which variable is not set, if it is that. */
interface Complaint {
  readonly place: string;
  readonly what: string;
  readonly unset?: string;
}

type Complain = (complaint: Complaint) => void;

/**
 * Every text in a JSON value with its variables replaced. Values are taken as they are: what looks like a variable in
 * them is none. `complain` is told what cannot be replaced, with the place of the text, such as `args[1]`.
 */
export function expanded(value: unknown, environment: Environment, complain: Complain, place = ''): unknown {
  if (typeof value === 'string') return expandedText(value, environment, complain, place);
  if (Array.isArray(value)) {
    return value.map((each, index) => expanded(each, environment, complain, `${place}[${index}]`));
  }
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => {
    const at = place === '' ? name : `${place}.${name}`;
    return [name, expanded(member, environment, complain, at)] as const;
  });
  return Object.fromEntries(members);
}

function expandedText(text: string, environment: Environment, complain: Complain, place: string): string {
  return text.replace(PLACEHOLDER, (whole, escaped: string | undefined, inner: string = '') => {
    if (escaped !== undefined) return escaped;
    const [, name, otherwise] = VARIABLE.exec(inner) ?? [];
    const found = name === undefined ? undefined : environment[name];
    if (otherwise !== undefined && (found ?? '') === '') return otherwise;
    if (found === undefined) complain({ place, ...unresolved(whole, inner, name) });
    return found ?? whole;
  });
}

function unresolved(whole: string, inner: string, name: string | undefined): Omit<Complaint, 'place'> {
  const foreign = FOREIGN.get(inner);
  if (foreign !== undefined) return { what: `${whole} is known to editors only: write ${foreign}` };
  if (inner.startsWith('input:'))
    return { what: `${whole} is a question of VS Code: write \${NAME} and set that variable` };
  if (name === undefined) return { what: `${whole} is no variable: write \${NAME} or \${NAME:-default}` };
  const what = `the variable ${name} is not set: set it where the hub is started, or write \${${name}:-default}`;
  return { what, unset: name };
}
