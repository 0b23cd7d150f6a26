/** Servers outside of a website, and a page that tries to reach them in every way that can be counted. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';

/** The ways in which the page tries it: paths of requests, and kinds of connections. */
export const CONTACT_METHODS: readonly string[] = [
  '/background',
  '/beacon',
  '/events',
  '/fetch',
  '/font',
  '/form',
  '/frame',
  '/image',
  '/module',
  '/object',
  '/ping',
  '/poster',
  '/prefetch',
  '/script',
  '/style',
  '/worker',
  '/xhr',
  'preconnect',
  'stun',
  'websocket',
];

export interface ExternalServers {
  /** HTML elements for a page. */
  markup: string;
  /** Those of {@link CONTACT_METHODS} that have arrived, sorted. */
  arrived(): string[];
  /** Resolves when all of {@link CONTACT_METHODS} have arrived. */
  reached: Promise<void>;
  /** Address of a page with the elements. */
  url: string;
}

/** Runs `work` with servers that record what arrives. */
export async function withExternalServers<T>(work: (outside: ExternalServers) => Promise<T>): Promise<T> {
  const arrived = new Set<string>();
  let reach = () => {};
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  const note = (way: string) => {
    if (CONTACT_METHODS.includes(way)) arrived.add(way);
    if (arrived.size === CONTACT_METHODS.length) reach();
  };
  let markup = '';
  const web = createServer((request, response) => {
    note(request.url!);
    // Responses are not cached, so that a page that is loaded again sends its requests again.
    response.setHeader('cache-control', 'no-store').setHeader('access-control-allow-origin', '*');
    if (request.url === '/page') response.setHeader('content-type', 'text/html').end(`<body>${markup}</body>`);
    else response.writeHead(404).end();
  }).on('upgrade', (_, socket) => {
    note('websocket');
    socket.destroy();
  });
  const connections = createTcpServer((socket) => {
    note('preconnect');
    socket.destroy();
  });
  const datagrams = createSocket('udp4', () => note('stun'));
  web.listen(0, '127.0.0.1');
  connections.listen(0, '127.0.0.1');
  datagrams.bind(0, '127.0.0.1');
  await Promise.all([web, connections, datagrams].map((server) => once(server, 'listening')));
  const host = `127.0.0.1:${(web.address() as AddressInfo).port}`;
  const connectHost = `127.0.0.1:${(connections.address() as AddressInfo).port}`;
  markup = elements(host, connectHost, datagrams.address().port);
  try {
    return await work({ markup, arrived: () => [...arrived].sort(), reached, url: `http://${host}/page` });
  } finally {
    web.closeAllConnections();
    web.close();
    connections.close();
    datagrams.close();
  }
}

function elements(host: string, connectHost: string, stunPort: number): string {
  const outside = `http://${host}`;
  return `<link rel="preconnect" href="http://${connectHost}"><link rel="prefetch" href="${outside}/prefetch">
<link rel="stylesheet" href="${outside}/style">
<style>@font-face { font-family: outside; src: url(${outside}/font) }</style>
<p style="font-family: outside; background-image: url(${outside}/background)">text</p>
<img src="${outside}/image" width="20" height="20"><video poster="${outside}/poster" width="20" height="20"></video>
<object data="${outside}/object" width="20" height="20"></object>
<iframe src="${outside}/frame" width="20" height="20"></iframe>
<iframe name="answer" width="20" height="20"></iframe>
<form method="post" action="${outside}/form" target="answer"><input name="a" value="b" type="hidden"></form>
<a href="#here" ping="${outside}/ping">link</a>
<script src="${outside}/script" async></script><script type="module" src="${outside}/module"></script>
<script>
  document.forms[0].submit();
  document.links[0].click();
  navigator.sendBeacon('${outside}/beacon', 'a');
  fetch('${outside}/fetch').catch(() => {});
  const request = new XMLHttpRequest();
  request.open('GET', '${outside}/xhr');
  request.send();
  new EventSource('${outside}/events').onerror = (event) => event.target.close();
  new WebSocket('ws://${host}/');
  new Worker(URL.createObjectURL(new Blob(["fetch('${outside}/worker').catch(() => {})"])));
  const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${stunPort}' }] });
  peer.createDataChannel('a');
  peer.createOffer().then((offer) => peer.setLocalDescription(offer));
</script>`;
}
