import type { IncomingMessage } from 'node:http';
import { createParser } from 'eventsource-parser';
import { limits } from '../shared/limits.js';

/** The least wait that is kept, and the longest that a timer takes; milliseconds. */
const [SOONEST, LATEST] = [50, 2 ** 31 - 1];

/** How far a stream of events was heard, so that it can be taken up there (MCP basic/transports, resumability). */
export class Place {
  /** The last event that had an id. */
  id: string | undefined;
  /** Milliseconds that the server wants to be left alone before it is asked again. */
  retry: number | undefined;
}

/** Whether a response is a stream of events. */
export function isEvents(response: IncomingMessage): boolean {
  return response.statusCode === 200 && /^text\/event-stream\b/i.test(response.headers['content-type'] ?? '');
}

/** Takes the data of each event until the stream ends. @throws when it breaks off. */
export async function events(
  response: IncomingMessage,
  take: (data: Buffer, kind: string | undefined) => void,
  place = new Place(),
): Promise<void> {
  const parser = createParser({
    maxBufferSize: limits.message,
    onRetry: (retry) => {
      place.retry = Math.min(Math.max(retry, SOONEST), LATEST);
    },
    onEvent: ({ data, event, id }) => {
      if (id !== undefined) place.id = id;
      if (data !== '') take(Buffer.from(data), event);
    },
  });
  response.setEncoding('utf8');
  for await (const text of response as AsyncIterable<string>) parser.feed(text);
}
