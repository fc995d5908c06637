/** No secret that is planted in a text of a profile is in its redacted copy, in any form. */
import { expect } from 'chai';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freshPath } from '../support/fresh-path.js';
import { globalPid, globalTid, NsightDatabase } from '../support/nsight-database.js';
import { runCli } from '../support/run-cli.js';
import { SECRET_PROFILES } from '../support/secret-profiles.js';
import { foundIn, Secrets } from '../support/secrets.js';
import { itSlow } from '../support/sets.js';
import { ROOT } from '../support/shared.js';

async function redacted(input: string, ending: string, ...options: readonly string[]): Promise<Buffer> {
  const output = freshPath(ending);
  const { stderr } = await runCli('dparse', ['redact', ...options, '-o', output, input]);
  expect(existsSync(output), stderr).to.equal(true);
  return readFileSync(output);
}

/** A trace with a secret in each of its texts, and in texts and keys that no reader knows. */
function trace({ next, noFunction }: Secrets): string {
  const at = { pid: 1, tid: 2, dur: 5 };
  let ts = 0;
  const event = (cat: string, name: string, args: object = {}): object => ({
    ph: 'X',
    cat,
    name,
    ...at,
    ts: (ts += 10),
    args,
  });
  const op = (name: string): object =>
    event('cpu_op', name, {
      ...{
        'External id': ts,
        'Input Dims': [[2, 3], [], []],
        'Input type': ['float', next(), 'Scalar'],
        [next()]: next(),
      },
      ...{
        'Concrete Inputs': ['', next(), `[1, ${next()}]`],
        'Call stack': `${next()}(1): ${next()};${next()}(2): f`,
        'Module Hierarchy': next(),
      },
      ...{ kernel_file: next(), kernel_hash: next(), kernel_kwargs: next(), kernel_backend: next() },
    });
  const events = [
    ...Array.from({ length: 16 }, () => op(next())),
    ...[
      'aten::',
      'mylib::',
      'autograd::engine::evaluate_function: ',
      'triton_',
      'nccl:',
      'layer:',
      'FSDP::pre_forward ',
    ].map((start) => op(start + next())),
    ...[', seq = 5', 'Backward', 'Backward0', '_backward', '#step_num=3#', ', op_id = 3, sizes = [[]]'].map((end) =>
      op(next() + end),
    ),
    ...Array.from({ length: 16 }, () => event('user_annotation', next())),
    ...[
      'ProfilerStep#',
      'request_1',
      'step 1',
      '## Call CompiledFxGraph ',
      'Optimizer.step#',
      'enumerate(DataLoader)#',
      'execute_diffusion_',
      'step[EXTEND bs=1 ',
    ].map((start) => event('user_annotation', start + next())),
    event('user_annotation', `execute_3#request_id1=${next()},request_id2=${next()}#`),
    event(
      'user_annotation',
      `{'mod': 'm', 'op': 'linear', 'args': [{'name': ${JSON.stringify(next())}, 'type': 'str', 'value': ${JSON.stringify(next())}}]}`,
    ),
    event(
      'user_annotation',
      `{'traceMarker': [${JSON.stringify(`${next()}:7`)}], 'funcStack': ${JSON.stringify(next())}}`,
    ),
    event('user_annotation', `{'mod': ${JSON.stringify(next())}, 'strRepr': ${JSON.stringify(next())}}`),
    event('user_annotation', `{'Module': ${JSON.stringify(next())}, 'TrainableParams': ${JSON.stringify(next())}}`),
    event('user_annotation', `{'args': ${next()}`),
    ...Array.from({ length: 8 }, () =>
      event('python_function', `${next()}(12): ${next()}`, { 'Python id': 1, [next()]: next() }),
    ),
    ...Array.from({ length: 8 }, () => event('python_function', `nn.Module: ${next()}`)),
    event('python_function', `<built-in method ${next()} of ${next()} object at 0x7>`),
    event('python_function', next()),
    ...Array.from({ length: 5 }, () => event('cuda_runtime', next(), { correlation: 7, [next()]: next() })),
    ...Array.from({ length: 5 }, () =>
      event('kernel', noFunction(), {
        ...{
          device: 0,
          stream: 7,
          correlation: 7,
          'Collective name': next(),
          dtype: next(),
          'Process Group Name': next(),
        },
        ...{
          'Process Group Description': next(),
          'Process Group Ranks': next(),
          'In split size': next(),
          call_stack: ['ROOT', next(), 'k'],
        },
      }),
    ),
    ...['gpu_memcpy', 'gpu_memset', 'cuda_sync', 'overhead', 'trace', 'cuda_profiler_range'].map((cat) =>
      event(cat, next(), { device: 0, stream: next(), [next()]: 1 }),
    ),
    ...Array.from({ length: 4 }, () => event(next(), next(), { a: { b: [next()] } })),
    { ph: 'C', name: next(), ...at, ts: (ts += 10), args: { [next()]: 5 } },
    { ph: 'i', name: `Iteration Start: ${next()}`, s: next(), ...at, ts: (ts += 10) },
    { ph: next(), name: next(), bp: next(), id: next(), ...at, ts },
    ...['process_name', 'thread_name', 'process_labels', 'other'].map((name) => ({
      ph: 'M',
      name,
      pid: next(),
      tid: next(),
      args: { name: next(), labels: next(), [next()]: next() },
    })),
    next(),
  ];
  return JSON.stringify({
    ...{ schemaVersion: 1, traceName: next(), host_name: next(), trace_id: next(), displayTimeUnit: next(), [next()]: next() },
    ...{ environment: { [next()]: next(), PATH: next() }, INFO: [next()], command: [next(), next()] },
    deviceProperties: [{ id: 0, name: next(), uuid: next(), [next()]: 5 }],
    distributedInfo: { backend: next(), rank: 0, nccl_version: next(), pg_config: [{ pg_name: next(), pg_desc: next(), backend_config: next(), ranks: next() }] }, // prettier-ignore
    traceEvents: events,
    after: next(),
  }); // prettier-ignore
}

/** An export with a secret in each of its texts, in tables, columns and settings that no reader knows, and in free pages. */
function nsight({ next, noFunction }: Secrets): string {
  const database = new NsightDatabase().launch(1, [next()]);
  const at = { globalTid: globalTid(), globalPid: globalPid() };
  const string = (text = next()): number => database.string(text);
  for (let i = 0; i < 64; i++) database.launch(2 + i, [next(), `layer:${next()}`, `aten::x${next()}, seq = ${i}`]);
  for (let i = 0; i < 64; i++)
    database.range(null, 100 * i, 100 * i + 5, { textId: string(), jsonTextId: string(), jsonText: next() });
  for (const type of [33, 34, 39, 60, 75])
    database.range(next(), 5, 6, {
      eventType: type,
      domainId: 3,
      binaryData: Buffer.from(`${'h'.repeat(32)}${next()}`),
    });
  database.range(`{'traceMarker': ['/a${next().replaceAll(/['"\\]/g, '')}:3']}`, 5, 9);
  for (let i = 0; i < 5; i++)
    database.kernel({ start: 1, end: 2 }, null, {}, noFunction()).call({ start: 1, end: 2 }, null, {}, next());
  database
    .row('TARGET_INFO_SYSTEM_ENV', { name: 'Hostname', value: next(), devStateName: next() })
    .row('TARGET_INFO_SYSTEM_ENV', { name: next(), value: next(), devStateName: 'x' })
    .row('TARGET_INFO_SESSION_START_TIME', { utcEpochNs: 5, utcTime: next(), localTime: next() })
    .row('META_DATA_EXPORT', { name: 'EXPORT_PRODUCT_VERSION', value: next() })
    .row('META_DATA_EXPORT', { name: next(), value: next() })
    .row('TARGET_INFO_GPU', { id: 0, name: next(), busLocation: next() })
    .row('TARGET_INFO_CUDA_DEVICE', { gpuId: 0, uuid: next() })
    .row('NVTX_PAYLOAD_SCHEMAS', { domainId: 1, schemaId: 1, name: next() })
    .row('NVTX_PAYLOAD_SCHEMA_ENTRIES', {
      domainId: 1,
      schemaId: 1,
      idx: 0,
      type: 18,
      name: next(),
      description: next(),
    })
    .row('TARGET_INFO_GPU_METRICS', { typeId: 1, metricId: 1, typeName: next(), metricName: next() })
    .row('PROFILER_OVERHEAD', { start: 1, end: 2, nameId: string(), ...at })
    .row('OSRT_API', { start: 1, end: 2, nameId: string(), callchainId: 1, ...at })
    .row('OSRT_CALLCHAINS', { id: 1, symbol: string(), module: string(), stackDepth: 0 })
    .row('SAMPLING_CALLCHAINS', { id: 1, symbol: string(), module: string(), stackDepth: 0, unresolved: 1 })
    .row('CUDA_GPU_MEMORY_USAGE_EVENTS', { start: 1, name: next(), ...at })
    .row('CUPTI_ACTIVITY_KIND_MEMCPY', { start: 1, end: 2, deviceId: 0, streamId: next() });
  string();
  const path = database.write();
  const sqlite = new Database(path);
  sqlite.exec(`CREATE TABLE "ANALYSIS_FILE" (id INTEGER, filename TEXT, content TEXT);
    CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);
    CREATE TABLE ThreadNames (nameId INTEGER, globalTid INTEGER);
    CREATE TABLE DIAGNOSTIC_EVENT (timestamp INTEGER, severity INTEGER, text TEXT);
    CREATE TABLE ENUM_X (id INTEGER PRIMARY KEY, name TEXT, label TEXT);
    CREATE TABLE "${next().replaceAll('"', '')}" ("${next().replaceAll('"', '')}" TEXT);
    ALTER TABLE OSRT_API ADD COLUMN "${next().replaceAll('"', '')}" TEXT;
    CREATE VIEW odd AS SELECT '${next().replaceAll("'", '')}';
    CREATE TABLE gone (text TEXT);`);
  const run = (sql: string, ...cells: unknown[]): unknown => sqlite.prepare(sql).run(...cells);
  run('INSERT INTO ANALYSIS_FILE VALUES (1, ?, ?)', next(), next());
  run('INSERT INTO PROCESSES VALUES (1, 2, ?)', next());
  run('INSERT INTO ThreadNames VALUES (1, 2)');
  run('INSERT INTO DIAGNOSTIC_EVENT VALUES (1, 2, ?)', next());
  run('INSERT INTO DIAGNOSTIC_EVENT VALUES (1, 3, ?)', `insufficient privilege for ${next()}`);
  run('INSERT INTO ENUM_X VALUES (1, ?, ?)', next(), next());
  run('INSERT INTO gone VALUES (?)', next());
  sqlite.exec('DELETE FROM gone');
  sqlite.close();
  return path;
}

/** Names of kernels and their short forms are kept if they can be names of functions. */
const IS_NAME = new Set(['name', 'short']);

/** Records with a secret behind each of their texts, and with unknown fields. */
function records(lines: readonly string[], { next, noFunction }: Secrets): string {
  const planted = (value: unknown, key: string): unknown => {
    if (typeof value === 'string') return `${value}${(IS_NAME.has(key) ? noFunction : next)()}`;
    if (Array.isArray(value)) return value.map((item) => planted(item, key));
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(([name, item]: [string, unknown]): [string, unknown] => [
      name,
      name === 'type' || name === 'startUnixNs' ? item : planted(item, name),
    ]);
    return { ...Object.fromEntries(entries), [next()]: next() };
  };
  return lines.map((line) => `${JSON.stringify(planted(JSON.parse(line), ''))}\n`).join('');
}

const SAMPLES = readdirSync(join(ROOT, 'samples')).filter((name) =>
  /\.(?:sql|db|rpd|csv|json|jsonl|pickle|pb|pftrace|ntff|neff|sqlite)$/.test(name),
);

/** Cells of a database that are texts, with a secret behind each; names of kernels too. */
function planted(path: string, { noFunction }: Secrets): void {
  const sqlite = new Database(path);
  const tables = sqlite
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .pluck()
    .all() as string[];
  for (const table of tables) {
    const columns = sqlite.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(table) as string[];
    for (const column of columns) {
      const texts = sqlite
        .prepare(`SELECT DISTINCT "${column}" FROM "${table}" WHERE typeof("${column}") = 'text' LIMIT 40`)
        .pluck()
        .all() as string[];
      for (const text of texts)
        try {
          sqlite
            .prepare(`UPDATE "${table}" SET "${column}" = ? WHERE "${column}" = ?`)
            .run(`${text}${noFunction()}`, text);
        } catch {
          // A constraint or a generated column.
        }
    }
  }
  sqlite.close();
}

/** The samples that are texts or binary: a secret of the same length replaces the end of each longer word. */
function overwritten(bytes: Buffer, secrets: Secrets): Buffer {
  const latin1 = bytes.toString('latin1');
  return Buffer.from(
    latin1.replace(/[A-Za-z_][\w./:-]{15,}/g, (word) => {
      const core = `/z${1000 + secrets.planted.length}q@`;
      secrets.planted.push({ text: core, core });
      return word.slice(0, -core.length) + core;
    }),
    'latin1',
  );
}

/** Fewest secrets in a made profile, and fewest of them that are in its records before they are redacted. */
const [FEWEST, FEWEST_READ] = [400, 100];

describe('dparse redact', () => {
  const kinds: readonly (readonly [string, (secrets: Secrets) => string, string])[] = [
    ['PyTorch', (secrets) => { const path = freshPath('.pt.trace.json'); writeFileSync(path, trace(secrets)); return path; }, '.json.gz'],
    ['Nsight Systems', nsight, '.sqlite'],
  ]; // prettier-ignore
  for (const [format, make, ending] of kinds) {
    const secrets = new Secrets();
    const input = make(secrets);
    for (const [form, end] of [
      ['profile', ending],
      ['records', '.jsonl'],
    ] as const)
      for (const options of [[], ['--hash', 'a key of many signs'], ['--hash-kernels']])
        it(`leaves none of the ${secrets.planted.length} secrets of a ${format} profile in ${form} ${options.join(' ')}`, async () => {
          expect(foundIn(readFileSync(input), secrets.planted)).to.have.length.of.at.least(FEWEST);
          const more = form === 'records' ? ['--ranges'] : [];
          expect(foundIn(await redacted(input, end, '--as', form, ...more, ...options), secrets.planted)).to.deep.equal(
            [],
          );
        });
  }

  for (const [format, make] of Object.entries(SECRET_PROFILES)) {
    const secrets = new Secrets();
    const input = make(secrets);
    const { length } = secrets.planted;
    it(`finds the ${length} secrets of a profile in ${format}, many of them in its records`, async () => {
      expect(foundIn(readFileSync(input), secrets.planted))
        .to.have.length(length)
        .of.at.least(FEWEST);
      const { stdout } = await runCli('dparse', ['-q', '--ranges', input]);
      expect(foundIn(Buffer.from(stdout), secrets.planted)).to.have.length.of.at.least(FEWEST_READ);
    });
    for (const options of [[], ['--hash', 'a key of many signs'], ['--hash-kernels']])
      it(`leaves none of the ${length} secrets of a profile in ${format} ${options.join(' ')}`, async () => {
        expect(foundIn(await redacted(input, '.jsonl', '--ranges', ...options), secrets.planted)).to.deep.equal([]);
      });
  }

  for (const name of [
    'lenet.nsys.sqlite',
    'lenet.pt.trace.json.gz',
    'attention.ntff',
    'neuron-monitor.jsonl',
    'ascend_pt',
    'step-tpu.xplane.pb',
    'linear.pftrace',
    'neuron-summary.json',
    'memory.pickle',
    'mlp_results.db',
  ])
    it(`leaves no secret of records made from ${name}`, async () => {
      const { stdout } = await runCli('dparse', ['-q', '--ranges', join(ROOT, 'samples', name)]);
      const lines = stdout.trimEnd().split('\n');
      const secrets = new Secrets();
      const path = freshPath('.jsonl');
      const step = Math.ceil(lines.length / 150);
      writeFileSync(
        path,
        records(
          lines.filter((_, i) => i === 0 || i === lines.length - 1 || i % step === 0),
          secrets,
        ),
      );
      expect(secrets.planted.length).to.be.above(20);
      expect(foundIn(await redacted(path, '.jsonl', '--ranges'), secrets.planted)).to.deep.equal([]);
    });

  for (const name of SAMPLES)
    itSlow(`leaves no secret that is written into ${name}`, async function () {
      const secrets = new Secrets();
      const bytes = readFileSync(join(ROOT, 'samples', name));
      const path = freshPath(`.${name}`);
      const isDatabase = bytes.subarray(0, 6).toString() === 'SQLite';
      writeFileSync(path, isDatabase ? bytes : overwritten(bytes, secrets));
      if (isDatabase) planted(path, secrets);
      const output = freshPath('.jsonl');
      await runCli('dparse', ['redact', '--ranges', '-o', output, path]);
      // Some formats are no longer readable with other texts.
      if (!existsSync(output)) return this.skip();
      expect(foundIn(readFileSync(output), secrets.planted)).to.deep.equal([]);
    });

  itSlow('leaves no free text of any column of an export', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ minLength: 6, maxLength: 40, unit: 'grapheme' }), { minLength: 4, maxLength: 12 }),
        async (texts) => {
          const free = texts.map((text, i) => ({ text: `${text} z${i}q${text}`, core: `z${i}q${text}` }));
          const database = new NsightDatabase();
          free.forEach(({ text }, i) =>
            database
              .launch(i + 1, [text])
              .row('TARGET_INFO_SYSTEM_ENV', { name: text, value: text, devStateName: text }),
          );
          const path = database.write();
          for (const form of ['profile', 'records']) {
            const found = foundIn(
              await redacted(
                path,
                form === 'profile' ? '.sqlite' : '.jsonl',
                '--as',
                form,
                ...(form === 'records' ? ['--ranges'] : []),
              ),
              free,
            );
            expect(found).to.deep.equal([]);
          }
        },
      ),
      { numRuns: 30 },
    ),
  );
});
