/** @param url as the service writes it: with its public address, which need not be the one that this page came from */
export const pathOf = (url: string): string => url.slice(url.indexOf('/api/v1/'));
