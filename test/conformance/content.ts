/** What the public conformance suite asks a server for: its own names, texts and schemas, whichever SDK serves them. */

const IMAGE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const AUDIO = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=';

type Contents = { uri: string; mimeType: string } & ({ text: string } | { blob: string });

/** A block of content. */
export type Block =
  | { type: 'text'; text: string }
  | { type: 'image' | 'audio'; data: string; mimeType: string }
  | { type: 'resource'; resource: Contents };

/** A block of text. */
export function text(value: string): { type: 'text'; text: string } {
  return { type: 'text', text: value };
}

const image: Block = { type: 'image', data: IMAGE, mimeType: 'image/png' };

function embedded(uri: string, mimeType: string, value: string): Block {
  return { type: 'resource', resource: { uri, mimeType, text: value } };
}

/** Tools that always give the same. */
export const PLAIN_TOOLS: ReadonlyMap<string, Block[]> = new Map([
  ['test_simple_text', [text('This is a simple text response for testing.')]],
  ['test_image_content', [image]],
  ['test_audio_content', [{ type: 'audio', data: AUDIO, mimeType: 'audio/wav' }]],
  [
    'test_embedded_resource',
    [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  ],
  [
    'test_multiple_content_types',
    [
      text('Multiple content types test:'),
      image,
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  ],
]);

/** What the tool `test_error_handling` fails with. */
export const FAILURE = 'This tool intentionally returns an error for testing';

/** What the tool `test_tool_with_logging` says, in its order. */
export const LOGGED = ['Tool execution started', 'Tool processing data', 'Tool execution completed'];

/** The input of the tool `json_schema_2020_12_tool`, which must arrive as it is. */
export const SCHEMA_2020 = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object' as const,
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

/** A form with a default for each kind of value. */
export const DEFAULTS = {
  type: 'object' as const,
  properties: {
    name: { type: 'string' as const, description: 'User name', default: 'John Doe' },
    age: { type: 'integer' as const, description: 'User age', default: 30 },
    score: { type: 'number' as const, description: 'User score', default: 95.5 },
    status: {
      type: 'string' as const,
      description: 'User status',
      enum: ['active', 'inactive', 'pending'],
      default: 'active',
    },
    verified: { type: 'boolean' as const, description: 'Verification status', default: true },
  },
  required: [],
};

function titled(kind: string): { const: string; title: string }[] {
  return ['First', 'Second', 'Third'].map((ordinal, at) => ({
    const: `value${at + 1}`,
    title: `${ordinal} ${kind}`,
  }));
}

const OPTIONS = ['option1', 'option2', 'option3'];

/** A form with each kind of choice. */
export const CHOICES = {
  type: 'object' as const,
  properties: {
    untitledSingle: { type: 'string' as const, description: 'Select one option', enum: OPTIONS },
    titledSingle: { type: 'string' as const, description: 'Select one option with titles', oneOf: titled('Option') },
    legacyEnum: {
      type: 'string' as const,
      description: 'Select one option (legacy)',
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: {
      type: 'array' as const,
      description: 'Select multiple options',
      minItems: 1,
      maxItems: 3,
      items: { type: 'string' as const, enum: OPTIONS },
    },
    titledMulti: {
      type: 'array' as const,
      description: 'Select multiple options with titles',
      minItems: 1,
      maxItems: 3,
      items: { anyOf: titled('Choice') },
    },
  },
  required: [],
};

/** A form with one value. */
export function form(
  name: string,
  type: 'string' | 'boolean',
): {
  type: 'object';
  properties: Record<string, { type: 'string' } | { type: 'boolean' }>;
  required: string[];
} {
  return { type: 'object', properties: { [name]: type === 'string' ? { type } : { type } }, required: [name] };
}

export interface ListedResource {
  readonly name: string;
  readonly uri: string;
  readonly mimeType: string;
}

/** Resources that are listed. */
export const RESOURCES: readonly ListedResource[] = [
  { name: 'static-text', uri: 'test://static-text', mimeType: 'text/plain' },
  { name: 'static-binary', uri: 'test://static-binary', mimeType: 'image/png' },
  { name: 'watched-resource', uri: 'test://watched-resource', mimeType: 'text/plain' },
];

/** The template of resources that are not. */
export const TEMPLATE = {
  name: 'template',
  uriTemplate: 'test://template/{id}/data',
  mimeType: 'application/json',
} as const;

/** What a resource holds; `undefined` where there is none. */
export function contentsOf(uri: string): Contents | undefined {
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (id !== undefined) {
    const data = { id, templateTest: true, data: `Data for ID: ${id}` };
    return { uri, mimeType: TEMPLATE.mimeType, text: JSON.stringify(data) };
  }
  const listed = RESOURCES.find((resource) => resource.uri === uri);
  if (listed === undefined) return undefined;
  const { mimeType } = listed;
  if (mimeType === 'image/png') return { uri, mimeType, blob: IMAGE };
  return { uri, mimeType, text: `This is the content of the ${listed.name.replace('-', ' ')} resource.` };
}

interface Message {
  role: 'user';
  content: Block;
}

export interface Prompt {
  readonly description: string;
  /** All of them are required. */
  readonly args: readonly string[];
  messages(args: Readonly<Record<string, string>>): Message[];
}

/** Prompts that are made from their arguments alone. */
export const PROMPTS: ReadonlyMap<string, Prompt> = new Map<string, Prompt>([
  [
    'test_simple_prompt',
    {
      description: 'A simple prompt without arguments',
      args: [],
      messages: () => says(text('This is a simple prompt for testing.')),
    },
  ],
  [
    'test_prompt_with_arguments',
    {
      description: 'A prompt with required arguments',
      args: ['arg1', 'arg2'],
      messages: ({ arg1, arg2 }) => says(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
    },
  ],
  [
    'test_prompt_with_embedded_resource',
    {
      description: 'A prompt that includes an embedded resource',
      args: ['resourceUri'],
      messages: ({ resourceUri = '' }) =>
        says(
          embedded(resourceUri, 'text/plain', 'Embedded resource content for testing.'),
          text('Please process the embedded resource above.'),
        ),
    },
  ],
  [
    'test_prompt_with_image',
    {
      description: 'A prompt that includes image content',
      args: [],
      messages: () => says(image, text('Please analyze the image above.')),
    },
  ],
]);

function says(...blocks: Block[]): Message[] {
  return blocks.map((content) => ({ role: 'user', content }));
}

/** What both servers say that they can do. */
export const CAPABILITIES = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  logging: {},
  completions: {},
};
