import { z } from 'zod';
import { offeredTools } from './tools/index.js';

/** One argument of a tool, as its schema has it. */
export interface Argument {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly preset: unknown;
  readonly description: string;
  /** The forms that its elements may have, such as `{kind: insert, at, text}`. */
  readonly forms: readonly string[];
}

interface Schema {
  readonly type?: string;
  readonly const?: unknown;
  readonly default?: unknown;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
}

/** The tools with their arguments, for `--tool-help`; with `--read-only` those that are left. */
export function toolHelp(readOnly: boolean): string {
  return offeredTools(readOnly)
    .map(({ name, action, description, input }) => {
      const rows = argumentsOf(input).flatMap(({ forms, ...argument }) => [row(argument), ...forms.map(indented)]);
      return `${name} (${action})\n  ${description}\n${rows.join('')}`;
    })
    .join('\n');
}

/** The arguments of a tool. */
export function argumentsOf(input: z.ZodObject): Argument[] {
  const { properties = {}, required = [] } = z.toJSONSchema(input, { io: 'input' }) as Schema;
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    type: schema.type ?? 'any',
    isRequired: required.includes(name),
    preset: schema.default,
    description: schema.description ?? '',
    forms: schema.items?.oneOf?.map(form) ?? [],
  }));
}

function form({ properties = {}, required = [] }: Schema): string {
  const members = Object.entries(properties).map(([name, schema]) =>
    schema.const === undefined ? `${name}${required.includes(name) ? '' : '?'}` : `${name}: ${String(schema.const)}`,
  );
  return `{${members.join(', ')}}`;
}

function row({ name, isRequired, type, description }: Omit<Argument, 'forms'>): string {
  return `    ${name}${isRequired ? '' : '?'}: ${type}${description === '' ? '' : ` - ${description}`}\n`;
}

function indented(text: string): string {
  return `      ${text}\n`;
}
