/** A run as neuron-monitor reported it: charts of what `dprof monitor` prints, and of several hosts their comparison. */
import type { PageMonitor } from '../../../prof/html/neuron/neuron-data.js';
import { counted } from '../../../record/plural.js';
import { replaceContents } from '../../charts/chart.js';
import { lineChart } from '../../charts/line-chart.js';
import { definitions, element, note, section, select } from '../../document/dom-elements.js';
import { fieldsOf } from '../../figures/field.js';
import { figure } from '../../figures/figure.js';
import type { Panel, PanelContent, PanelView } from '../../panel.js';
import { hostComparison, hostsOf, type NamedHost } from './monitor-hosts.js';

const errorsOf = ({ errors }: PageMonitor): HTMLElement[] =>
  errors.length === 0
    ? []
    : [
        section(
          'What the monitor could not report',
          element(
            'ul',
            {},
            ...errors.map(({ where, text, count }) =>
              element('li', {}, `${where}: ${text} (${counted(count, 'report')})`),
            ),
          ),
        ),
      ];

/** The charts of one host, and its facts. */
function hostContents({ host: { charts, facts } }: NamedHost): HTMLElement[] {
  const known = Object.entries(facts).filter(([, value]) => value !== '');
  const terms = definitions(known.map(([name, value]) => [name, String(value)]));
  return [
    element('div', { class: 'charts' }, ...charts.map((group) => section(group.title, ...lineChart(group)))),
    ...(known.length === 0 ? [] : [section('The instance', element('dl', { class: 'evidence' }, ...terms))]),
  ];
}

/** A line for each host in charts with one axis of time, then the charts of one that is chosen. */
function comparedHosts(hosts: readonly NamedHost[], own: NamedHost): HTMLElement[] {
  const { charts, axis, span } = hostComparison(hosts);
  const place = element('div');
  const show = (name: string): void => {
    const chosen = hosts.find((host) => host.name === name) ?? own;
    replaceContents(place, ...hostContents(chosen));
  };
  show(own.name);
  const choices = hosts.map(({ name }) => [name, name] as const);
  return [
    section(
      `${hosts.length} hosts compared`,
      element(
        'div',
        { class: 'charts' },
        ...charts.map((group) => section(group.title, ...lineChart(group, { axis, span }))),
      ),
    ),
    section('One host', select('Host', choices, own.name, show), place),
  ];
}

function make(view: PanelView): PanelContent {
  const { monitor } = view.profile;
  if (monitor === null) return 'The profile is none of neuron-monitor.';
  const hosts = hostsOf(view.data);
  const own = hosts.find(({ profile }) => profile === view.at);
  const { otherReports } = monitor;
  return [
    element('p', {}, 'Reports: ', figure(fieldsOf('monitor', monitor)('reports'), 'count'), '.'),
    ...(otherReports > 0 ? [note(`Of them ${otherReports} are of further hosts, which are not on this page.`)] : []),
    ...errorsOf(monitor),
    ...(own === undefined ? [] : hosts.length > 1 ? comparedHosts(hosts, own) : hostContents(own)),
  ];
}

export const MONITOR: Panel = {
  ...{ id: 'monitor', title: 'The run as neuron-monitor reported it', width: 6, make },
  isFor: ({ profile }) => profile.monitor !== null,
};
