/**
 * `--listen`: serves the last exposition over HTTP for Prometheus, as neuron-monitor-prometheus.py does.
 *
 * Read-only: one response, to GET and HEAD, which does not depend on the request. A server that is only for this machine
 * answers only to names of this machine, so that web pages cannot reach it by pointing their own host name to it (DNS
 * rebinding).
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isSystemError, systemReason, UserError } from '../../../record/errors.js';

export interface MonitorAddress {
  readonly host: string;
  /** Port; 0 for any free one. */
  readonly port: number;
}

const PATHS: ReadonlySet<string> = new Set(['/', '/metrics']);

/** Maximum connections at a time. */
const MOST_CONNECTIONS = 64;
/** Time in ms for a request, for an idle connection, and for readers to finish at the end. */
const PATIENCE = 5000;

/** Names and addresses of this machine that are not reachable from other machines. */
const LOCAL = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
const nameOf = (host: string): string => host.replace(/:\d*$/, '').toLowerCase();

const text = { 'Content-Type': 'text/plain; charset=utf-8' };
const exposition = { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' };

const addressText = ({ host, port }: MonitorAddress): string => `${host.includes(':') ? `[${host}]` : host}:${port}`;

export class MonitorServer {
  /** The text to serve; null before the first report. */
  #text: string | null = null;
  readonly #server: Server;

  private constructor(
    private readonly host: string,
    private readonly patience: number,
  ) {
    const limits = { headersTimeout: patience, requestTimeout: patience, connectionsCheckingInterval: patience };
    this.#server = createServer(limits, (request, response) => this.#answer(request, response));
    // The timeout of connections that send nothing, or whose client reads nothing.
    this.#server.setTimeout(patience);
    this.#server.maxConnections = MOST_CONNECTIONS;
  }

  /**
   * @param patience timeout in ms
   * @throws UserError for an address that cannot be used
   */
  static async open(address: MonitorAddress, patience = PATIENCE): Promise<MonitorServer> {
    const server = new MonitorServer(address.host, patience);
    await new Promise<void>((resolve, reject) => {
      server.#server.once('error', (error) => {
        reject(isSystemError(error) ? refused(address, systemReason(error)) : error);
      });
      server.#server.listen(address.port, address.host, resolve);
    });
    return server;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://${addressText({ host: this.host, port })}/metrics`;
  }

  /** Sets the exposition to serve from now on. */
  set text(text: string) {
    this.#text = text;
  }

  /** Answers the requests received so far, and accepts no others. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeIdleConnections();
    const impatient = setTimeout(() => this.#server.closeAllConnections(), this.patience);
    await closed;
    clearTimeout(impatient);
  }

  #answer({ method, url = '', headers }: IncomingMessage, response: ServerResponse): void {
    const [path = ''] = url.split('?');
    if (!this.#isAddressed(headers.host)) response.writeHead(421, text).end('wrong host name\n');
    else if (method !== 'GET' && method !== 'HEAD') response.writeHead(405, { ...text, Allow: 'GET, HEAD' }).end();
    else if (!PATHS.has(path)) response.writeHead(404, text).end('metrics are at /metrics\n');
    else if (this.#text === null) response.writeHead(503, text).end('no report yet\n');
    else response.writeHead(200, exposition).end(this.#text);
  }

  /** Checks the Host header, which every browser sends. A server for other machines has names that are unknown here. */
  #isAddressed(host: string | undefined): boolean {
    const given = nameOf(addressText({ host: this.host, port: 0 }));
    return host === undefined || !LOCAL.test(given) || LOCAL.test(nameOf(host));
  }
}

const refused = (address: MonitorAddress, reason: string): UserError =>
  new UserError(`cannot listen at ${addressText(address)}: ${reason}`, { hint: '--listen [HOST:]PORT' });
