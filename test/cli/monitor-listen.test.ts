/** `dprof monitor --listen`: what a scraper is answered, and how serving ends. */
import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArguments } from '../../src/cli/arguments.js';
import { MONITOR, readMonitorArguments } from '../../src/cli/commands/monitor/monitor-options.js';
import { MonitorServer } from '../../src/cli/commands/monitor/monitor-server.js';
import { PROMETHEUS_FAMILIES } from '../../src/prof/neuron/monitor/prometheus-families.js';
import type { UserError } from '../../src/record/errors.js';
import { type UsageError } from '../../src/record/errors.js';
import { executions, lines, report, runtime } from '../support/monitor-report.js';
import { parseExposition, seriesValue } from '../support/prometheus-text.js';
import { commandOf, runCli } from '../support/run-cli.js';
import { ROOT } from '../support/shared.js';
import { describeWithProcess } from '../support/sets.js';
import { awaited, within } from '../support/waits.js';

const one = (completed: number): ReturnType<typeof report> =>
  report([runtime(7, 'train', { execution_stats: executions(completed) })]);

/** The server's end of the next connection. */
const nextAccepted = (): Promise<Socket> =>
  new Promise((resolve) => {
    const take = (message: unknown): void => {
      unsubscribe('net.server.socket', take);
      resolve((message as { socket: Socket }).socket);
    };
    subscribe('net.server.socket', take);
  });

const addressOf = (text: string): unknown => readMonitorArguments(parseArguments(MONITOR, ['--listen', text])).listen;

describe('dprof monitor --listen', () => {
  it('listens at this machine alone unless it is told otherwise', () => {
    expect(addressOf('8000')).to.deep.equal({ host: '127.0.0.1', port: 8000 });
    expect(addressOf('0.0.0.0:9100')).to.deep.equal({ host: '0.0.0.0', port: 9100 });
    expect(addressOf('[::1]:9100')).to.deep.equal({ host: '::1', port: 9100 });
    expect(addressOf('node-1:9100')).to.deep.equal({ host: 'node-1', port: 9100 });
  });

  it('refuses an invalid address, and options that it has no use for', () => {
    const usage: readonly (readonly [args: readonly string[], answer: RegExp])[] = [
      ...['x', '65536', ':80', '::1:80', '127.0.0.1:', 'a b:80', '-1'].map(
        (text) => [[`--listen=${text}`], /^--listen takes \[HOST:\]PORT, not '/] as const,
      ),
      [['--listen', '80', '-f', 'csv'], /^--listen works only with --format prometheus, not csv/],
      [['--listen', '80', '-o', 'x'], /^--listen and --output cannot be combined/],
      [['--listen', '80', '--stats'], /^--(listen and --stats|stats cannot be combined with --format prometheus)/],
      [['--listen', '80', '-c', 'util'], /^--cols cannot be combined with --format prometheus/],
    ];
    for (const [args, answer] of usage) {
      try {
        readMonitorArguments(parseArguments(MONITOR, args));
        expect.fail(args.join(' '));
      } catch (error) {
        expect((error as UsageError).line, args.join(' ')).to.match(answer);
      }
    }
  });

  it('answers under names of this machine alone, unless it listens for others', async () => {
    const answerOf = async (server: MonitorServer, host: string): Promise<string> => {
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
      socket.end(`GET /metrics HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
      return (
        Buffer.concat(await socket.toArray())
          .toString()
          .split('\r\n', 1)[0] ?? ''
      );
    };
    const [own, open] = [
      await MonitorServer.open({ host: '127.0.0.1', port: 0 }),
      await MonitorServer.open({ host: '0.0.0.0', port: 0 }),
    ];
    try {
      own.text = open.text = 'a 1\n';
      for (const host of ['localhost:9100', '127.0.0.1', '[::1]:1', 'LOCALHOST'])
        expect(await answerOf(own, host), host).to.equal('HTTP/1.1 200 OK');
      for (const host of ['evil.example:9100', 'localhost.evil.example', '10.0.0.1'])
        expect(await answerOf(own, host), host).to.equal('HTTP/1.1 421 Misdirected Request');
      expect(await answerOf(open, 'node-1:9100')).to.equal('HTTP/1.1 200 OK');
    } finally {
      await Promise.all([own.close(), open.close()]);
    }
  });

  it('answers GET and HEAD with the last exposition, and nothing else', async () => {
    const server = await MonitorServer.open({ host: '127.0.0.1', port: 0 });
    try {
      expect(server.url).to.match(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/);
      const early = await fetch(server.url);
      expect([early.status, await early.text()]).to.deep.equal([503, 'no report yet\n']);
      server.text = '# HELP a b\n# TYPE a gauge\na 1\n';
      const found = await fetch(server.url);
      expect(found.headers.get('content-type')).to.equal('text/plain; version=0.0.4; charset=utf-8');
      expect(await found.text()).to.equal('# HELP a b\n# TYPE a gauge\na 1\n');
      expect(await (await fetch(server.url, { method: 'HEAD' })).text()).to.equal('');
      for (const method of ['POST', 'PUT', 'DELETE'])
        expect((await fetch(server.url, { method })).status).to.equal(405);
      expect((await fetch(`${server.url}/../etc`)).status).to.equal(404);
    } finally {
      await server.close();
    }
  });

  it('closes connections that do not get on, whether they send or fetch', async () => {
    const server = await MonitorServer.open({ host: '127.0.0.1', port: 0 }, 50);
    // More than the system holds for a reader that fetches nothing.
    const size = 64e6;
    server.text = 'a 1\n'.repeat(size / 4);
    const ask = (sent: string): Socket => {
      const client = connect(Number(new URL(server.url).port), '127.0.0.1').on('error', () => undefined);
      client.write(sent);
      return client;
    };
    try {
      for (const sent of ['', 'GET /metrics HT', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n1']) {
        await within(`the server closes after '${sent}'`, once(ask(sent).resume(), 'close'));
      }
      const accepted = nextAccepted();
      const idle = ask('GET /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
      await within('the server closes, of which nothing is fetched', once(await accepted, 'close'));
      let found = 0;
      idle.on('data', (bytes) => (found += bytes.length));
      await within('the connection ends', once(idle, 'close'));
      expect(found).to.be.below(size);
    } finally {
      await server.close();
    }
  });

  it('says in one line that a port is taken', async () => {
    const server = await MonitorServer.open({ host: '127.0.0.1', port: 0 });
    const port = Number(new URL(server.url).port);
    try {
      await MonitorServer.open({ host: '127.0.0.1', port });
      expect.fail('listens twice');
    } catch (error) {
      const answer = `cannot listen at 127.0.0.1:${port}: the port is in use (--listen [HOST:]PORT)`;
      expect((error as UserError).line).to.equal(answer);
    } finally {
      await server.close();
    }
  });

  describeWithProcess('serving a pipe', () => {
    const start = async (...args: string[]) => {
      const command = [...commandOf('dprof'), 'monitor', '--listen', '0', ...args];
      const child = spawn(process.execPath, command, { cwd: ROOT, stdio: ['pipe', 'inherit', 'pipe'] });
      const [said] = (await once(child.stderr, 'data')) as [Buffer];
      const url = /http:\S+/.exec(said.toString())?.[0] ?? '';
      const closed = once(child, 'close');
      return { child, url, closed };
    };
    /** The number of executions, as soon as there is a report. */
    const done = (url: string, wanted: number): Promise<number> =>
      awaited(`${wanted} executions`, async () => {
        const response = await fetch(url);
        const text = await response.text();
        const found =
          response.status === 200
            ? seriesValue(parseExposition(text), 'execution_status_total', { status_type: 'completed' })
            : undefined;
        return found === wanted ? found : undefined;
      });

    it('has each report once it has come, before the first too, and ends with the pipe', async () => {
      const { child, url, closed } = await start();
      expect((await fetch(url)).status).to.equal(503);
      child.stdin.write(lines(one(3)));
      expect(await done(url, 3)).to.equal(3);
      child.stdin.write(lines(one(4)));
      // Counters are sums since the first report.
      expect(await done(url, 7)).to.equal(7);
      child.stdin.end();
      expect(await closed).to.deep.equal([0, null]);
    });

    it('does not serve before it has a file that can be read', async () => {
      const { stderr, code } = await runCli('dprof', ['monitor', '--listen', '0', 'none.jsonl']);
      expect({ stderr, code }).to.deep.equal({ stderr: 'dprof: none.jsonl: no such file\n', code: 1 });
    });

    it('ends by SIGINT and SIGTERM with exit code 0, and lets the port go', async () => {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) {
        for (const args of [[], ['samples/neuron-monitor.jsonl']]) {
          const { child, url, closed } = await start(...args);
          child.kill(signal);
          expect(await closed, `${signal} ${args.join()}`).to.deep.equal([0, null]);
          const again = await MonitorServer.open({ host: '127.0.0.1', port: Number(new URL(url).port) });
          await again.close();
        }
      }
    });
  });
});

describe('the dashboard for Grafana', () => {
  const text = readFileSync(join(ROOT, 'docs/neuron-grafana.json'), 'utf8');
  const { panels } = JSON.parse(text) as {
    readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
  };

  it('asks for metrics and labels that are served', () => {
    const labelsOf = new Map(PROMETHEUS_FAMILIES.map(({ name, labels }) => [name, ['instance_id', ...labels]]));
    const queries = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
    expect(queries.length).to.be.above(15);
    for (const query of queries) {
      const [, name = '', selector = ''] = /\b([a-z_]{8,})\{([^}]*)\}/.exec(query) ?? [];
      const labels = labelsOf.get(name);
      expect(labels, query).to.not.equal(undefined);
      for (const [, label] of selector.matchAll(/(\w+)=~?"/g)) expect(labels, query).to.include(label);
      const by = /by \(([^)]*)\)/.exec(query)?.[1]?.split(', ') ?? [];
      expect(labels, query).to.include.members(by);
    }
  });

  it('shows every metric but what vCPUs and swap there are', () => {
    const missing = PROMETHEUS_FAMILIES.filter(({ name, own }) => own !== true && !text.includes(`${name}{`));
    expect(missing.map(({ name }) => name)).to.deep.equal(['system_swap_total_bytes', 'system_vcpu_count']);
  });
});
