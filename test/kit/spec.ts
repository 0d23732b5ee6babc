import type { ChildSpec } from '../../hub/children.js';
import type { ProgramSpec } from '../../hub/spawn.js';

/** The program that a child is, which it must be. */
export function programOf(spec: Pick<ChildSpec, 'source'> | undefined): ProgramSpec {
  if (spec === undefined || !('program' in spec.source)) throw new Error('this child is no program');
  return spec.source;
}
