import { HUB_INFO } from './protocol.js';

/** Which names a client takes. */
export interface Form {
  /** What stands between alias and name. */
  readonly separator: string;
  /** Each character that it does not take. */
  readonly foreign: RegExp;
  /** The most characters of a whole name. */
  readonly longest: number;
}

/** `--separator` when it was not given: as the client needs it. */
export const AUTO = 'auto';

/** As the specification has names (MCP server/tools), with the length that the model services behind clients take. */
export const CANONICAL: Form = { separator: '.', foreign: /[^A-Za-z0-9_.-]/gu, longest: 64 };

/** For clients that refuse a whole list unless each name matches `^[a-zA-Z0-9_-]{1,64}$`, as these services do. */
const STRICT: Form = { separator: '__', foreign: /[^A-Za-z0-9_-]/gu, longest: 64 };

/** Nothing is changed but for the prefix. */
const UNCHANGED: Form = { separator: '.', foreign: /(?!)/gu, longest: Number.POSITIVE_INFINITY };

/** Characters kept free for the name that the person gave this hub in the client, which the hub is not told. */
const ENTRY = 15;

/** Clients by what the name they give of themselves contains; the first that fits counts. */
const CLIENTS: readonly (readonly [RegExp, Form])[] = [
  // Another hub in front adapts the names to its own client.
  [new RegExp(`^${HUB_INFO.name}$`), UNCHANGED],
  // Leaves out a tool unless its own name and the server's have less than 60 characters together (composio #2788),
  // and calls it without its dots (gemini-cli-extensions/workspace #168).
  [/cursor/i, { ...STRICT, longest: 59 - ENTRY }],
  // Names a tool mcp__SERVER__TOOL, of which some requests of its service take 64 characters (claude-code #20643).
  [/claude.?code/i, { ...STRICT, longest: 64 - 'mcp____'.length - ENTRY }],
  // Claude Desktop, claude.ai (orchard-mcp #14).
  [/claude|anthropic/i, STRICT],
  // Codex (codex #8174), ChatGPT.
  [/codex|openai|chatgpt/i, STRICT],
  // Copilot CLI (copilot-cli #2581) and IntelliJ (copilot-intellij-feedback #1583); VS Code warns (vscode #308463).
  [/copilot|visual.?studio|vscode/i, STRICT],
];

/** Forms with a separator that was asked for, so that clients that take the same names have the same form. */
const SEPARATED = new Map<Form, Map<string, Form>>();

/** The form for a client that calls itself by this name (`clientInfo.name`), with the separator that was asked for. */
export function formFor(client: unknown, separator: string): Form {
  const name = typeof client === 'string' ? client : '';
  const form = CLIENTS.find(([pattern]) => pattern.test(name))?.[1] ?? CANONICAL;
  if (separator === AUTO) return form;
  const separated = SEPARATED.get(form) ?? new Map<string, Form>();
  SEPARATED.set(form, separated);
  const own = separated.get(separator) ?? { ...form, separator };
  separated.set(separator, own);
  return own;
}
