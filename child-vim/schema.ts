import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { z } from 'zod';

type Standard = StandardSchemaWithJSON['~standard'];

/** A tool's arguments as the SDK wants them: checked by zod, shown as JSON Schema that is made once. */
export function argumentsSchema(schema: z.ZodObject): StandardSchemaWithJSON {
  return standard(wireSchema(schema, 'input'), schema['~standard'].validate);
}

/** A tool's result, which is what its type says and comes of checked answers: it is shown, not checked again. */
export function resultSchema(schema: z.ZodObject): StandardSchemaWithJSON {
  return standard(wireSchema(schema, 'output'), (value) => ({ value }));
}

/**
 * The JSON Schema that clients see, and models pay for. Left out is what tells a reader nothing: the dialect, which is
 * MCP's own; bounds that nobody comes near, which are checked all the same; and that a result has no further members.
 */
export function wireSchema(schema: z.ZodObject, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _, ...found } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => {
      for (const bound of ['maxLength', 'minLength'] as const) delete jsonSchema[bound];
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === 0 || jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.exclusiveMinimum === 0) delete jsonSchema.exclusiveMinimum;
      if (io === 'output') {
        delete jsonSchema.additionalProperties;
        delete jsonSchema.required;
      }
    },
  });
  return found;
}

function standard(json: Record<string, unknown>, validate: Standard['validate']): StandardSchemaWithJSON {
  const shown = (): Record<string, unknown> => json;
  return { '~standard': { version: 1, vendor: 'mcp-vim', validate, jsonSchema: { input: shown, output: shown } } };
}
