import { getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { Fault } from '../shared/fault.js';

/**
 * Reads JSON as people keep it in settings: with comments, trailing commas and a byte order mark. Objects have no
 * prototype.
 * @throws Fault `invalid` that names line and column of the first mistake.
 */
export function readJsonc(path: string, text: string): unknown {
  return getNodeValue(parse(path, text));
}

/** The same, where a name that stands twice in one object is a mistake too. */
export function readStrictJsonc(path: string, text: string): unknown {
  const root = parse(path, text);
  const twice = repeated(root);
  if (twice !== undefined) {
    const at = place(path, text, twice.offset);
    throw new Fault('invalid', `${at}: ${JSON.stringify(twice.value)} stands twice in the same object`, {
      next: 'Remove or rename one of the two.',
    });
  }
  return getNodeValue(root);
}

function parse(path: string, text: string): Node {
  const errors: ParseError[] = [];
  const root = parseTree(text.replace(/^\uFEFF/, ' '), errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first !== undefined) {
    const what = printParseErrorCode(first.error)
      .replace(/(?<=.)([A-Z])/g, ' $1')
      .toLowerCase();
    throw new Fault('invalid', `${place(path, text, first.offset)} is no JSON: ${what}`);
  }
  if (root === undefined) throw new Fault('invalid', `${path} is empty`);
  return root;
}

/** `FILE:LINE:COLUMN`, as editors and compilers take it. */
function place(path: string, text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n');
  return `${path}:${before.length}:${(before.at(-1) ?? '').length + 1}`;
}

/** The first name that an object has already. */
function repeated({ type, children = [] }: Node): Node | undefined {
  const names = new Set<unknown>();
  for (const child of children) {
    const name = type === 'object' ? child.children?.[0] : undefined;
    if (name !== undefined && names.has(name.value)) return name;
    names.add(name?.value);
    const deeper = repeated(child);
    if (deeper !== undefined) return deeper;
  }
  return undefined;
}
