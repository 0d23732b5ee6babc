import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packagesForNewer } from '../kit/packages.js';

/** Protocol revisions for which the suite has a frozen set of requirements. */
export type Revision = '2025-11-25' | '2026-07-28';

/** What one run of the suite counted. */
export interface Score {
  /** Checks that the revision requires. */
  passed: number;
  failed: number;
  /** Checks of scenarios that it does not, extensions aside. */
  besides: number;
  besidesFailed: number;
  /** Scenarios in which a check failed. */
  readonly faults: string[];
}

const SUITE = '@modelcontextprotocol/conformance';
const VERSION = '0.2.0-alpha.12';
/** Milliseconds for one run. */
const PATIENCE = 300_000;

/** The suite, once it is here. */
export class Suite {
  readonly #folder: string;
  readonly #node: string;

  private constructor(folder: string, node: string) {
    this.#folder = folder;
    this.#node = node;
  }

  /** Brings it here; it does not start on Node.js 20. */
  static async install(): Promise<Suite> {
    const { modules, node } = await packagesForNewer('conformance', [`${SUITE}@${VERSION}`]);
    return new Suite(join(modules, SUITE), node);
  }

  /** Runs all that a revision asks of a server. */
  async server(url: string, revision: Revision): Promise<Score> {
    return read(await this.#run(['server', '--url', url, '--requirements', revision]));
  }

  /** Runs one scenario for a client, which is started by the command with the address of the scenario's server. */
  async client(command: string, scenario: string, revision: Revision): Promise<Score> {
    const args = ['client', '--command', command, '--scenario', scenario, '--spec-version', revision];
    return readScenario(await this.#run(args), scenario);
  }

  /** The client scenarios that a revision requires. */
  async clientScenarios(revision: Revision): Promise<string[]> {
    const file = join(this.#folder, 'requirements', `${revision}.yaml`);
    const [, list = ''] = /^client:\n((?: .*\n)*)/m.exec(await readFile(file, 'utf8')) ?? [];
    return [...list.matchAll(/^ {2}- (\S+)/gm)].map(([, name = '']) => name);
  }

  #run(args: readonly string[]): Promise<string> {
    return new Promise((resolve) => {
      const suite = spawn(this.#node, [join(this.#folder, 'dist/index.js'), ...args], { timeout: PATIENCE });
      let output = '';
      for (const stream of [suite.stdout, suite.stderr]) {
        stream.on('data', (chunk: Buffer) => {
          output += chunk.toString();
        });
      }
      suite.on('close', () => resolve(output));
    });
  }
}

/** Reads the summary: a line for each scenario, then those that are not scored, with why. */
function read(output: string): Score {
  const unscored = new Map(
    [...output.matchAll(/^ {2}[✓✗] (\S+) \(([\w-]+)\)$/gmu)].map(([, name, why]) => [name, why]),
  );
  const score: Score = { passed: 0, failed: 0, besides: 0, besidesFailed: 0, faults: [] };
  const lines = [...output.matchAll(/^[✓✗] (\S+): (\d+) passed, (\d+) failed$/gmu)];
  if (lines.length === 0) throw new Error(`the suite came to nothing:\n${output}`);
  for (const [, name = '', passed, failed] of lines) {
    const why = unscored.get(name);
    if (why === 'extension') continue;
    score[why === undefined ? 'passed' : 'besides'] += Number(passed);
    score[why === undefined ? 'failed' : 'besidesFailed'] += Number(failed);
    if (Number(failed) > 0) score.faults.push(name);
  }
  return score;
}

/** Reads the outcome of one scenario. */
function readScenario(output: string, scenario: string): Score {
  const [, passed, failed] = /^Passed: (\d+)\/\d+, (\d+) failed/m.exec(output) ?? [];
  const faults = failed === '0' ? [] : [scenario];
  return { passed: Number(passed ?? 0), failed: Number(failed ?? 1), besides: 0, besidesFailed: 0, faults };
}
