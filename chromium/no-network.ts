/**
 * Arguments that start Chromium without a network: no host name resolves and the proxy does not exist, so that only the
 * responses from Playwright are available. WebRTC must be restricted separately because it sends datagrams past a
 * proxy.
 */
export const NO_NETWORK: readonly string[] = [
  '--proxy-server=http://proxy.invalid:80',
  '--proxy-bypass-list=<-loopback>',
  '--host-resolver-rules=MAP * ~NOTFOUND',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
];
