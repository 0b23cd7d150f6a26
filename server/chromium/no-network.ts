/**
 * Arguments of Chromium that leave it without a network: no host has an address, and the proxy is none, so that only what
 * Playwright answers is there. WebRTC sends datagrams past a proxy unless it is told otherwise.
 */
export const NO_NETWORK: readonly string[] = [
  '--proxy-server=http://proxy.invalid:80',
  '--proxy-bypass-list=<-loopback>',
  '--host-resolver-rules=MAP * ~NOTFOUND',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
];
