import MiniSearch from 'minisearch';
import { objectOf } from './protocol.js';
import { definition, type Named } from './shown.js';

/** How much more a word counts in the name, or in the title, than in the description or in a name of an argument. */
const BOOST = { name: 3, title: 2 };

/** Words of a question that tell nothing of what is looked for. */
const EMPTY: ReadonlySet<string> = new Set(
  'a an and are be by can do for from how i in is it me my of on or please that the this to want what with'.split(' '),
);

/** Tools ranked by words (BM25+): those of the name count most, beginnings and slips of the pen count less. */
export class Ranking {
  readonly #tools: readonly Named[];
  readonly #index = new MiniSearch<Record<string, unknown>>({
    fields: ['name', 'title', 'description', 'arguments'],
    tokenize: wordsOf,
    searchOptions: {
      processTerm: (word) => (EMPTY.has(word.toLowerCase()) ? null : word.toLowerCase()),
      boost: BOOST,
      // Two letters begin too much; two characters of other scripts may be a whole word.
      prefix: (word) => word.length > 2 || /\P{ASCII}/u.test(word),
      fuzzy: (word) => (word.length > 4 ? 0.2 : false),
    },
  });

  constructor(tools: readonly Named[]) {
    this.#tools = tools;
    // One by one, so that no more than one of them is decoded at a time.
    for (const [id, tool] of tools.entries()) {
      const { title, description, inputSchema } = definition(tool);
      const names = Object.keys(objectOf(objectOf(inputSchema)['properties'])).join(' ');
      this.#index.add({ id, name: tool.name, title, description, arguments: names });
    }
  }

  /** Those that fit, the best first. */
  find(words: string): readonly Named[] {
    return this.#index.search(words).flatMap(({ id }) => this.#tools.slice(Number(id), Number(id) + 1));
  }
}

/** `readTextFile`, `read_text_file` and `read-text-file` are the same three words. */
function wordsOf(text: string): string[] {
  return text
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}
