import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { Fault } from './fault.js';

/** Links followed before a path counts as one that leads nowhere. */
const MOST_LINKS = 40;

/**
 * Where a path leads to: links and `..` are followed as the system does, also where the file itself is not there yet.
 * Nothing where that cannot be told.
 */
export function resolvedPath(path: string, links = 0): string | undefined {
  if (!isAbsolute(path) || path.includes('\0') || links > MOST_LINKS) return undefined;
  try {
    // The other one takes `..` away before it looks at links.
    return realpathSync.native(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return undefined;
  }
  const [folder, name] = [dirname(path), basename(path)];
  if (name === '' || name === '.' || name === '..') return undefined;
  const target = linkAt(path);
  if (target !== undefined) return resolvedPath(isAbsolute(target) ? target : `${folder}/${target}`, links + 1);
  const parent = resolvedPath(folder, links);
  return parent === undefined ? undefined : join(parent, name);
}

function linkAt(path: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * A pattern for resolved paths: `*` and `?` stand for characters of one name, `**` for any number of folders, a `/` at the
 * end for all that lies below. It begins with `/` or `~/`; what stands before the first `*` or `?` is resolved, too.
 */
export class PathPattern {
  readonly #expression: RegExp;

  /** @throws Fault `invalid` for what is no such pattern. */
  constructor(text: string) {
    const path = text.startsWith('~/') ? `${homedir()}${text.slice(1)}` : text;
    if (!path.startsWith('/') || path.includes('\0')) throw new Fault('invalid', 'a path begins with / or ~/');
    if (path.split('/').includes('..')) throw new Fault('invalid', 'a path has no .. in it');
    const names = (path.endsWith('/') ? `${path}**` : path).split('/').slice(1);
    const wild = names.findIndex((name) => /[*?]/.test(name));
    const [fixed, open] = wild === -1 ? [names, []] : [names.slice(0, wild), names.slice(wild)];
    const start = `/${fixed.join('/')}`;
    const root = (resolvedPath(start) ?? start).replace(/\/$/, '');
    this.#expression = new RegExp(`^${literally(root)}${open.map(segment).join('')}$`, 'su');
  }

  /** Whether a resolved path is meant. */
  matches(path: string): boolean {
    return this.#expression.test(path);
  }
}

function segment(name: string, index: number, all: readonly string[]): string {
  // `**` at the end is everything below, elsewhere any number of folders, also none.
  if (name === '**') return index === all.length - 1 ? '/.+' : '(?:/[^/]+)*';
  return `/${name
    .split(/([*?])/)
    .map(part)
    .join('')}`;
}

function part(text: string): string {
  if (text === '*') return '[^/]*';
  return text === '?' ? '[^/]' : literally(text);
}

function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
