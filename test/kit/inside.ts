import { Hub, type HubSettings } from '../../hub/hub.js';
import { memoryLinks } from '../../shared/link.js';
import { introduce } from './dial.js';
import { End, type Message } from './end.js';

/** A hub inside this process, with raw ends for its clients and for children that dial in. */
export class Inside {
  readonly hub: Hub;

  constructor(settings: HubSettings = {}) {
    this.hub = new Hub([], settings);
  }

  /** Connects a client and greets the hub. */
  async client(capabilities: Message = {}): Promise<End> {
    const end = this.silentClient();
    end.send({ id: 'hello', method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities } });
    await end.next({ id: 'hello', result: {} });
    end.send({ method: 'notifications/initialized' });
    return end;
  }

  /** Connects a client that has said nothing yet. */
  silentClient(): End {
    const [near, far] = memoryLinks();
    void this.hub.serve(far);
    return new End('client', near);
  }

  /** Connects a child that has not been greeted yet. */
  dial(alias: unknown): End {
    const [near, far] = memoryLinks();
    this.hub.children.dialledIn(alias, far);
    return new End(String(alias), near);
  }

  /** Connects a child that offers these tools. */
  async child(alias: string, tools: readonly Message[], about: Message = {}): Promise<End> {
    const end = this.dial(alias);
    await introduce(end, tools, about);
    return end;
  }
}

/** Takes the next message, which must be this request, and answers it. */
export async function answerNext(end: End, method: string, result: Message, params?: Message): Promise<void> {
  const { id } = await end.next(params === undefined ? { method } : { method, params });
  end.send({ id, result });
}

export const tool = (name: string): Message => ({ name, inputSchema: { type: 'object' } });
