import type { TestContext } from 'node:test';

type Step = () => unknown;

const steps = new WeakMap<TestContext, Step[]>();

/** Does something after the test; what was begun last is ended first. */
export function cleanup(t: TestContext, step: Step): void {
  const known = steps.get(t);
  if (known !== undefined) {
    known.push(step);
    return;
  }
  const own = [step];
  steps.set(t, own);
  t.after(async () => {
    const failures: unknown[] = [];
    for (const each of own.reverse()) {
      try {
        await each();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  });
}
