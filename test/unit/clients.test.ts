import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CLIENT_PROGRAMS, type Person } from '../../hub/clients.js';

const person = (platform: NodeJS.Platform, environment: Person['environment'] = {}): Person => ({
  platform,
  home: '/home/p',
  folder: '/project',
  environment,
});

const paths = (name: string, who: Person): (readonly [path: string, project: string | undefined])[] =>
  (CLIENT_PROGRAMS.find((program) => program.name === name)?.places(who) ?? []).map(({ path, project }) => [
    path,
    project,
  ]);

describe('the servers of a client', () => {
  for (const [name, platform, path] of [
    ['claude-desktop', 'linux', '/home/p/.config/Claude/claude_desktop_config.json'],
    ['claude-desktop', 'darwin', '/home/p/Library/Application Support/Claude/claude_desktop_config.json'],
    ['claude-desktop', 'win32', '/roaming/Claude/claude_desktop_config.json'],
    ['claude-code', 'darwin', '/home/p/.claude.json'],
    ['cursor', 'win32', '/home/p/.cursor/mcp.json'],
    ['vscode', 'linux', '/home/p/.config/Code/User/mcp.json'],
    ['vscode', 'darwin', '/home/p/Library/Application Support/Code/User/mcp.json'],
    ['vscode', 'win32', '/roaming/Code/User/mcp.json'],
    ['zed', 'linux', '/home/p/.config/zed/settings.json'],
    ['zed', 'darwin', '/home/p/.config/zed/settings.json'],
    ['zed', 'win32', '/roaming/Zed/settings.json'],
  ] as const) {
    it(`are at ${path} for ${name} on ${platform}`, () => {
      assert.deepEqual(paths(name, person(platform, { APPDATA: '/roaming' }))[0], [path, undefined]);
    });
  }

  it('may be where the person has put all settings', () => {
    const moved = person('linux', { XDG_CONFIG_HOME: '/etc/p', CLAUDE_CONFIG_DIR: '/etc/c' });
    assert.equal(paths('zed', moved)[0]?.[0], '/etc/p/zed/settings.json');
    assert.equal(paths('claude-code', moved)[0]?.[0], '/etc/c/.claude.json');
  });

  it('may belong to the project in which the person is', () => {
    const projects = CLIENT_PROGRAMS.flatMap(({ name }) => paths(name, person('linux')));
    assert.deepEqual(
      projects.filter(([, project]) => project === '/project').map(([path]) => path),
      ['/project/.mcp.json', '/project/.cursor/mcp.json', '/project/.vscode/mcp.json', '/project/.zed/settings.json'],
    );
  });
});
