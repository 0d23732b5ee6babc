/** What crosses the hub, message by message, over every kind of link. */
import { child, client, route } from '../kit/route.js';

const hello = { content: [{ type: 'text', text: 'hello' }] };

route('a call reaches the child under its own name and id, and its answer comes back', [
  client.calls('vim.slow', { as: 'a', id: 17, args: { line: 3 } }),
  child.gets('tools/call', { name: 'slow', arguments: { line: 3 } }, { as: 'a' }),
  child.answers('a', hello),
  client.gets('a', { result: hello }),
]);

route('the other separator is accepted', [
  client.calls('vim__slow', { as: 'a' }),
  child.gets('tools/call', { name: 'slow' }, { as: 'a' }),
  child.answers('a', hello),
  client.gets('a', { result: hello }),
]);

route('fields that nobody here knows pass in both directions', [
  client.calls('vim.slow', { as: 'a', args: { '\u0000': ['\ud83d\ude00', 1e300, null] } }),
  child.gets('tools/call', { arguments: { '\u0000': ['\ud83d\ude00', 1e300, null] } }, { as: 'a' }),
  child.answers('a', { content: [{ type: 'hologram', w: 1 }], structuredContent: [1, 2], novel: { a: [] } }),
  client.gets('a', { result: { content: [{ type: 'hologram', w: 1 }], structuredContent: [1, 2], novel: { a: [] } } }),
]);

route("a child's error comes back with its own code and data", [
  client.calls('vim.slow', { as: 'a' }),
  child.gets('tools/call', {}, { as: 'a' }),
  child.fails('a', { code: -32002, message: 'no such resource', data: { uri: 'x:' } }),
  client.gets('a', { error: { code: -32002, message: 'no such resource', data: { uri: 'x:' } } }),
]);

route('a cancelled call reaches the child and is never answered', [
  client.calls('vim.slow', { as: 'a' }),
  child.gets('tools/call', { name: 'slow' }, { as: 'a' }),
  client.cancels('a', 'the user stopped it'),
  child.isCancelled('a', 'the user stopped it'),
  child.answers('a', hello),
  client.getsNothing(),
]);

route('a cancellation before the call is sent does nothing', [
  client.cancels('a', 'too early'),
  client.calls('vim.slow', { as: 'a' }),
  child.gets('tools/call', { name: 'slow' }, { as: 'a' }),
  child.answers('a', hello),
  client.gets('a', { result: hello }),
]);

route('a cancellation after the answer does nothing', [
  client.calls('vim.slow', { as: 'a' }),
  child.gets('tools/call', {}, { as: 'a' }),
  child.answers('a', hello),
  client.gets('a', { result: hello }),
  client.cancels('a', 'too late'),
  child.getsNothing(),
]);

route('only the cancelled one of two calls is cancelled', [
  client.calls('vim.slow', { as: 'a', id: 1 }),
  client.calls('vim.slow', { as: 'b', id: '1' }),
  child.gets('tools/call', {}, { as: 'a' }),
  child.gets('tools/call', {}, { as: 'b' }),
  client.cancels('b', 'that one'),
  child.isCancelled('b', 'that one'),
  child.answers('a', hello),
  client.gets('a', { result: hello }),
]);

route('an id that was cancelled can be used again, and the late answer is not taken for the new one', [
  client.calls('vim.slow', { as: 'a', id: 1 }),
  child.gets('tools/call', {}, { as: 'old' }),
  client.cancels('a', 'again'),
  child.isCancelled('old', 'again'),
  client.calls('vim.slow', { as: 'a', id: 1 }),
  child.gets('tools/call', {}, { as: 'new' }),
  child.answers('old', { content: [] }),
  child.answers('new', hello),
  client.gets('a', { result: hello }),
]);

route('the ids 0, 1 and "1" are three calls', [
  client.calls('vim.slow', { as: 'zero', id: 0 }),
  client.calls('vim.slow', { as: 'number', id: 1 }),
  client.calls('vim.slow', { as: 'string', id: '1' }),
  child.gets('tools/call', {}, { as: 'zero' }),
  child.gets('tools/call', {}, { as: 'number' }),
  child.gets('tools/call', {}, { as: 'string' }),
  child.answers('string', { content: ['s'] }),
  child.answers('number', { content: ['n'] }),
  child.answers('zero', { content: ['z'] }),
  client.gets('string', { result: { content: ['s'] } }),
  client.gets('number', { result: { content: ['n'] } }),
  client.gets('zero', { result: { content: ['z'] } }),
]);

route('an id in use is refused, and the call that has it goes on', [
  client.calls('vim.slow', { as: 'a', id: 7 }),
  child.gets('tools/call', {}, { as: 'a' }),
  client.calls('vim.slow', { as: 'b', id: 7 }),
  client.gets('b', { error: { code: -32600, message: /the id 7 is in use/ } }),
  child.answers('a', hello),
  client.gets('a', { result: hello }),
  child.getsNothing(),
]);

route('progress reaches the client under its own token, before the answer', [
  client.calls('vim.slow', { as: 'a', token: 'mine' }),
  child.gets('tools/call', { name: 'slow' }, { as: 'a' }),
  child.progresses('a', { progress: 1, total: 2, message: 'half' }),
  child.progresses('a', { progress: 2, total: 2 }),
  child.answers('a', hello),
  client.getsNotification('notifications/progress', { progressToken: 'mine', progress: 1, total: 2, message: 'half' }),
  client.getsNotification('notifications/progress', { progressToken: 'mine', progress: 2 }),
  client.gets('a', { result: hello }),
]);

route('progress that nobody asked for, or after the answer, is dropped', [
  client.calls('vim.slow', { as: 'a' }),
  child.gets('tools/call', {}, { as: 'a' }),
  child.progresses('a', { progress: 1 }),
  child.answers('a', hello),
  child.progresses('a', { progress: 2 }),
  client.gets('a', { result: hello }),
  client.getsNothing(),
]);

for (const action of ['accept', 'decline', 'cancel']) {
  const answer = action === 'accept' ? { action, content: { decision: 'allow' } } : { action };
  route(`a question of the child comes back with ${action}`, [
    client.calls('vim.slow', { as: 'a' }),
    child.gets('tools/call', {}, { as: 'a' }),
    child.asks('elicitation/create', { message: 'May I?', requestedSchema: { type: 'object' } }, { id: 0 }),
    client.isAsked('elicitation/create', { message: 'vim: May I?', requestedSchema: { type: 'object' } }, { as: 'q' }),
    client.answers('q', answer),
    child.getsAnswer(0, { result: answer }),
    child.answers('a', hello),
    client.gets('a', { result: hello }),
  ]);
}

route('sampling passes through', [
  child.asks('sampling/createMessage', { messages: [], maxTokens: 9 }, { id: 'ask' }),
  client.isAsked('sampling/createMessage', { messages: [], maxTokens: 9 }, { as: 'q' }),
  client.answers('q', { role: 'assistant', model: 'm' }),
  child.getsAnswer('ask', { result: { role: 'assistant', model: 'm' } }),
]);

route('a question that the child withdraws is withdrawn from the client', [
  child.asks('elicitation/create', { message: 'May I?' }, { id: 'ask' }),
  client.isAsked('elicitation/create', {}, { as: 'q' }),
  child.cancelsQuestion('ask'),
  client.getsNotification('notifications/cancelled', {}),
  client.answers('q', { action: 'accept' }),
  child.getsNothing(),
]);

route('a question goes away with the call that it belongs to', [
  client.calls('vim.slow', { as: 'a' }),
  child.gets('tools/call', {}, { as: 'a' }),
  child.asks('elicitation/create', { message: 'May I?' }, { id: 'ask' }),
  client.isAsked('elicitation/create', {}, { as: 'q' }),
  client.cancels('a', 'changed my mind'),
  child.isCancelled('a', 'changed my mind'),
  client.getsNotification('notifications/cancelled', {}),
  child.getsAnswer('ask', { result: { action: 'cancel' } }),
  client.answers('q', { action: 'accept' }),
  child.getsNothing(),
]);

route('a question stays where two calls could be the one it belongs to', [
  client.calls('vim.slow', { as: 'a' }),
  child.gets('tools/call', {}, { as: 'a' }),
  client.calls('vim.slow', { as: 'b' }),
  child.gets('tools/call', {}, { as: 'b' }),
  child.asks('elicitation/create', { message: 'May I?' }, { id: 'ask' }),
  client.isAsked('elicitation/create', {}, { as: 'q' }),
  client.cancels('b', 'not that'),
  child.isCancelled('b', 'not that'),
  client.answers('q', { action: 'accept' }),
  child.getsAnswer('ask', { result: { action: 'accept' } }),
]);

route('a child that goes away fails its calls at once, and its tools leave the list', [
  client.calls('vim.slow', { as: 'a' }),
  child.gets('tools/call', {}, { as: 'a' }),
  child.goes(),
  client.gets('a', { error: { code: 4410, message: /^vim closed the connection$/ } }),
  client.getsNotification('notifications/message', { level: 'warning', data: /^vim closed the connection$/ }),
  client.getsNotification('notifications/tools/list_changed'),
  client.calls('vim.slow', { as: 'b' }),
  client.gets('b', { error: { code: 4410, message: /vim is not connected\. It dials in/ } }),
]);

route('a client that goes away cancels its calls', [
  client.calls('vim.slow', { as: 'a' }),
  child.gets('tools/call', {}, { as: 'a' }),
  client.leaves(),
  child.gets('notifications/cancelled', {}),
]);

route('a call without a name is refused', [
  client.sendsText('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":["vim.slow"]}}'),
  client.getsAnswer(1, { error: { code: -32602, message: /tools\/call needs the name/ } }),
]);

route("a child's log messages come under its alias, and what is not offered here does not come", [
  child.sendsText('{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}'),
  child.sendsText('{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"l","data":1}}'),
  child.sendsText('{"jsonrpc":"2.0","method":"notifications/novel","params":{"a":1.0}}'),
  client.getsNotification('notifications/message', { level: 'info', logger: 'vim/l', data: 1 }),
  client.getsNotification('notifications/novel', { a: 1 }),
]);

route('a name that no server has is refused with the servers there are', [
  client.calls('emacs.slow', { as: 'a' }),
  client.gets('a', { error: { code: -32602, message: /no server has "emacs.slow".*the servers are: vim/ } }),
]);

route('a request that is too deep is refused under its own id, whoever sends it', [
  client.sendsText(deep('tools/call', 5)),
  client.getsAnswer(5, { error: { code: -32600, message: /deeper than 64/ } }),
  child.sendsText(deep('elicitation/create', 6)),
  child.getsAnswer(6, { error: { code: -32600, message: /deeper than 64/ } }),
]);

route('a batch is dealt with message by message', [
  client.sendsText('[{"jsonrpc":"2.0","id":1,"method":"ping"},[],{"jsonrpc":"2.0","id":"2","method":"ping"}]'),
  client.getsAnswer(null, { error: { code: -32700 } }),
  client.getsAnswer(1, { result: {} }),
  client.getsAnswer('2', { result: {} }),
  client.sendsText('[]'),
  client.getsAnswer(null, { error: { code: -32700, message: /1 to 100/ } }),
]);

route('a second greeting is refused', [
  client.sendsText('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}'),
  client.getsAnswer(1, { error: { code: -32600, message: /initialize came twice/ } }),
]);

/** A request nested beyond what is passed on. */
function deep(method: string, id: number): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${'['.repeat(80)}${']'.repeat(80)}}`;
}
