"""Does what it is told in lines of JSON on standard input with boto3, and answers each with one on standard output."""

import base64
import json
import os
import sys
import tempfile

import boto3
import local_names
from botocore.config import Config
from botocore.exceptions import ClientError

HOST = sys.argv[1]
local_names.install()
clients = {}


def client_of(call):
    user, style = call["as"], call.get("style", "path")
    name = (user["accessKey"], user["secretKey"], style)
    if name not in clients:
        clients[name] = boto3.session.Session().client(
            "s3",
            endpoint_url=f"http://{HOST}",
            region_name="us-east-1",
            aws_access_key_id=user["accessKey"],
            aws_secret_access_key=user["secretKey"],
            config=Config(
                # Else it presigns URLs with the signatures of version 2
                signature_version="s3v4",
                s3={"addressing_style": style},
                retries={"total_max_attempts": 1},
            ),
        )
    return clients[name]


def given(call, **names):
    return {theirs: call[ours] for theirs, ours in names.items() if ours in call}


def with_file(body, work):
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "file")
        with open(path, "wb") as file:
            file.write(body)
        work(path)
        with open(path, "rb") as file:
            return file.read()


def listed(client, bucket, prefix):
    """A few at a time, so that each page is asked for with what the last one said."""
    pages = client.get_paginator("list_objects_v2").paginate(
        Bucket=bucket, Prefix=prefix, PaginationConfig={"PageSize": 10}
    )
    answers = list(pages)
    return {**answers[-1], "Contents": [item for page in answers for item in page.get("Contents", [])]}


def run(call):
    client = client_of(call)
    operation = call["operation"]
    bucket = call["bucket"]
    key = {"Bucket": bucket, "Key": call["key"]}
    body = base64.b64decode(call.get("body", ""))
    described = given(call, ContentType="contentType", Metadata="metadata", ContentEncoding="contentEncoding")
    if operation == "presign":
        method = {"GET": "get_object", "PUT": "put_object"}[call["method"]]
        return {"Url": client.generate_presigned_url(method, Params=key, ExpiresIn=call["seconds"])}
    if operation == "put":
        return client.put_object(**key, **described, Body=body)
    if operation == "upload":
        with_file(body, lambda path: client.upload_file(path, bucket, call["key"], ExtraArgs=described))
        return client.head_object(**key)
    if operation == "download":
        read = with_file(b"", lambda path: client.download_file(bucket, call["key"], path))
        return {**client.head_object(**key), "Body": read}
    if operation == "get":
        conditions = given(call, Range="range", IfMatch="ifMatch", IfNoneMatch="ifNoneMatch")
        answer = client.get_object(**key, **conditions)
        return {**answer, "Body": answer["Body"].read()}
    if operation == "head":
        return client.head_object(**key)
    if operation == "list":
        return listed(client, bucket, call["key"])
    if operation == "delete all":
        objects = [{"Key": item["Key"]} for item in listed(client, bucket, call["key"])["Contents"]]
        return client.delete_objects(Bucket=bucket, Delete={"Objects": objects})
    if operation == "copy":
        return client.copy_object(**key, CopySource={"Bucket": bucket, "Key": call["source"]})
    if operation == "delete":
        return client.delete_object(**key)
    raise ValueError(operation)


def reply(answer):
    metadata = answer.get("ResponseMetadata", {})
    return {
        "status": metadata.get("HTTPStatusCode", 0),
        "headers": metadata.get("HTTPHeaders", {}),
        "code": answer.get("Error", {}).get("Code"),
        "body": base64.b64encode(answer.get("Body", b"")).decode(),
        "keys": [item["Key"] for item in answer.get("Contents", [])],
        "url": answer.get("Url"),
    }


for line in sys.stdin:
    try:
        told = reply(run(json.loads(line)))
    except ClientError as error:
        told = reply(error.response)
    except Exception as error:  # whatever it is, the test is to see it
        told = {"failure": repr(error)}
    print(json.dumps(told), flush=True)
