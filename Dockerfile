# syntax=docker/dockerfile:1

# Node 22 contains the SQLite that the database needs, and lets a shell take the place of `serve`: process 1 of a container
# waits for the service. What npm installs is the same for every processor but for one optional addon of Piscina, so
# both stages run on the processor that the image is for.
FROM node:22-bookworm AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY . .
# The files of the package, which carries what it needs of development dependencies, without what nothing reads, and
# Node without the names that only a debugger shows.
RUN npm pack --silent && mkdir /package && tar --extract --file imagecrew-*.tgz --strip-components 1 --directory /package \
  && node scripts/trim-installation.mjs && npm prune --omit=dev --no-audit --no-fund \
  && strip -o /node /usr/local/bin/node

# Not the image of Node: it has npm, Yarn and headers too.
FROM debian:bookworm-slim
ENV NODE_ENV=production \
  IC_HOST=0.0.0.0 \
  IC_DATA_DIR=/data
WORKDIR /app
COPY --from=build /node /usr/local/bin/node
COPY --from=build /app/node_modules node_modules
COPY --from=build /package ./
# So that `docker exec NAME imagecrew admin key create …` works, and a new volume belongs to who writes to it.
RUN useradd --uid 1000 --user-group --no-create-home node \
  && ln -s /app/bin/imagecrew.mjs /usr/local/bin/imagecrew && install -d -m 700 -o node -g node /data
USER node
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
# The image has no curl, and needs none.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.IC_PORT || 8080}/healthz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["imagecrew"]
CMD ["serve"]
